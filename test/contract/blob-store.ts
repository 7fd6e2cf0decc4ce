/** Contract of every blob store, whatever its implementation. */
import { createHash, randomBytes } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { describe, expect, test } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import type { Blob } from "#gen/filemill/common/v1/blob_pb.ts";
import type { BlobStore } from "#kit/blobs/store.ts";

export type BlobStoreFixture = {
  store(): BlobStore;
  /** Creates a file that `adopt` may take. */
  strayFile(bytes: Uint8Array): Promise<string>;
  /** A path on this host where nothing exists. */
  newPath(): string;
};

const smallBody = Buffer.from("a few bytes");
const largeBody = randomBytes(3 * 1024 * 1024 + 17);
const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export async function* inChunks(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

async function* failing(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  throw new Error("the client left");
}

/** What an engine would read from disk. */
async function fetched({ store, newPath }: BlobStoreFixture, blob: Pick<Blob, "id" | "digest">): Promise<Buffer> {
  await using file = await store().fetch(blob, newPath());
  return await readFile(file.path);
}

async function idsIn(store: BlobStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const { blobId } of store.list()) ids.push(blobId);
  return ids.sort();
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "no error",
    (error: unknown) => (error instanceof FilemillError ? error.code : String(error)),
  );

export function describeBlobStore(fixture: BlobStoreFixture): void {
  describe("stores", () => describeKeeping(fixture));
  describe("fetches", () => {
    test("a read-only file, and removes it afterwards if it is a copy", async () => {
      const store = fixture.store();
      const blob = await store.write(inChunks(largeBody, 64 * 1024));
      const path = fixture.newPath();
      {
        await using file = await store.fetch(blob, path);
        expect((await stat(file.path)).mode & 0o777).toBe(0o444);
      }
      await expect(stat(path)).rejects.toThrow("ENOENT");
      expect(await store.has(blob.id)).toBe(true);
    });
  });

  describe("leaves nothing behind", () => describeLeftovers(fixture));
  test("reads inclusive ranges, truncated at the end of the file", async () => {
    const store = fixture.store();
    const blob = await store.write(inChunks(largeBody, 64 * 1024));
    const last = largeBody.length - 1;
    expect(await buffer(await store.read(blob.id, { start: 5, end: 9 }))).toEqual(largeBody.subarray(5, 10));
    expect(await buffer(await store.read(blob.id, { start: last, end: last + 100 }))).toEqual(largeBody.subarray(last));
    expect(await buffer(await store.read(blob.id, { start: last + 1, end: last + 2 }))).toHaveLength(0);
  });

  describe("streams", () => describePassingOn(fixture));
  test("an open stream outlives the removal, a later read fails", async () => {
    const store = fixture.store();
    const blob = await store.write(inChunks(largeBody, 64 * 1024));
    const stream = await store.read(blob.id);
    await store.remove(blob.id);
    expect(Buffer.compare(await buffer(stream), largeBody)).toBe(0);
    expect(await codeOf(store.read(blob.id))).toBe("RESULT_EXPIRED");
    await store.remove(blob.id);
  });

  test.each(["../../etc/passwd", "..", "", "partial", `${"a".repeat(64)}-${"b".repeat(15)}/`, `${"A".repeat(64)}-${"b".repeat(16)}`])(
    "rejects %j as an id",
    async (name) => {
      const store = fixture.store();
      await expect(store.fetch({ id: name, digest: "" }, fixture.newPath())).rejects.toThrow(FilemillError);
      expect(await store.has(name)).toBe(false);
      await expect(store.remove(name)).rejects.toThrow(FilemillError);
    },
  );

  test("reports free bytes", async () => {
    expect(await fixture.store().freeBytes()).toBeGreaterThan(0);
  });
}

function describePassingOn(fixture: BlobStoreFixture): void {
  test("all bytes to a slow reader", async () => {
    const store = fixture.store();
    const body = randomBytes(9 * 1024 * 1024 + 17);
    const blob = await store.write(inChunks(body, 64 * 1024));
    const got: Buffer[] = [];
    // Like a socket, it buffers one chunk and requests no more until that is written.
    const slow = new Writable({
      highWaterMark: 1,
      write: (piece: Buffer, _encoding, written) =>
        void setTimeout(() => {
          got.push(Buffer.from(piece));
          written();
        }, 5),
    });
    async function* through(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const piece of source) yield piece;
    }
    const stream = await store.read(blob.id, { start: 3, end: body.length - 5 }, { isPassedOn: true });
    await pipeline(Readable.from(through(stream), { objectMode: false }), slow);
    expect(Buffer.concat(got).equals(body.subarray(3, -4))).toBe(true);
  });
}

function describeKeeping(fixture: BlobStoreFixture): void {
  test.each([
    ["an empty body", Buffer.alloc(0), 10],
    ["a small body", smallBody, 3],
    ["a body at the edge of one write", largeBody.subarray(0, 256 * 1024), 1000],
    ["a body just over one write", largeBody.subarray(0, 256 * 1024 + 1), 64 * 1024],
    ["a large body", largeBody, 64 * 1024],
    ["a large body in one chunk", largeBody, largeBody.length],
  ])("%s", async (_what, body, chunkBytes) => {
    const store = fixture.store();
    const blob = await store.write(inChunks(body, chunkBytes));
    expect(blob).toMatchObject({ digest: digestOf(body), sizeBytes: BigInt(body.length) });
    expect(Buffer.compare(await buffer(await store.read(blob.id)), body)).toBe(0);
    expect(Buffer.compare(await fetched(fixture, blob), body)).toBe(0);
    expect(await store.has(blob.id)).toBe(true);
    expect(await idsIn(store)).toContain(blob.id);
  });

  test("an adopted file, whose original is then gone", async () => {
    const store = fixture.store();
    const path = await fixture.strayFile(largeBody);
    const blob = await store.adopt(path);
    expect(blob).toMatchObject({ digest: digestOf(largeBody), sizeBytes: BigInt(largeBody.length) });
    expect(Buffer.compare(await buffer(await store.read(blob.id)), largeBody)).toBe(0);
    await expect(readFile(path)).rejects.toThrow("ENOENT");
  });

  test("equal bytes twice under separate ids", async () => {
    const store = fixture.store();
    const first = await store.write(inChunks(smallBody, 4));
    const second = await store.write(inChunks(smallBody, 4));
    expect(second.digest).toBe(first.digest);
    expect(second.id).not.toBe(first.id);
    await store.remove(first.id);
    expect(await store.has(first.id)).toBe(false);
    expect(await buffer(await store.read(second.id))).toEqual(smallBody);
  });
}

function describeLeftovers(fixture: BlobStoreFixture): void {
  test.each([
    ["small", smallBody, smallBody.length - 1],
    ["large", largeBody, largeBody.length - 1],
  ])("of a %s body over the limit", async (_what, body, maxBytes) => {
    const store = fixture.store();
    const before = await idsIn(store);
    expect(await codeOf(store.write(inChunks(body, 64 * 1024), { maxBytes }))).toBe("INPUT_TOO_LARGE");
    expect(await idsIn(store)).toEqual(before);
  });

  test("beyond the blob for a body exactly at the limit", async () => {
    const store = fixture.store();
    const blob = await store.write(inChunks(smallBody, 4), { maxBytes: smallBody.length });
    expect(blob.sizeBytes).toBe(BigInt(smallBody.length));
  });

  test.each([
    ["small", smallBody],
    ["large", largeBody],
  ])("of a %s body whose source fails", async (_what, body) => {
    const store = fixture.store();
    const before = await idsIn(store);
    await expect(store.write(failing(body))).rejects.toThrow("the client left");
    expect(await idsIn(store)).toEqual(before);
  });

  test("of a body that is aborted while the source is silent", async () => {
    const store = fixture.store();
    const before = await idsIn(store);
    const abort = new AbortController();
    const silent = async function* (): AsyncGenerator<Uint8Array> {
      yield largeBody;
      abort.abort(new Error("enough"));
      await new Promise(() => undefined);
    };
    await expect(store.write(silent(), { signal: abort.signal })).rejects.toThrow("enough");
    expect(await idsIn(store)).toEqual(before);
  });
}
