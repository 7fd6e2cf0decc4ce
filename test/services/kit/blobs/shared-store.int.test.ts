/** A folder mounted on several hosts: on another file system than any host's scratch. */
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DiskBlobStore, openDiskBlobStore } from "#kit/blobs/disk-store.ts";
import { describeBlobStore, inChunks } from "#test/contract/blob-store.ts";

let root: string;
let mounted: string;
let store: DiskBlobStore;
let files = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "filemill-shared-"));
  // A memory disk on every Linux.
  mounted = await mkdtemp("/dev/shm/filemill-shared-");
  store = await openDiskBlobStore(join(mounted, "blobs"), { shared: true });
});
afterAll(() => Promise.all([root, mounted].map((dir) => rm(dir, { recursive: true, force: true }))));

const newPath = (): string => {
  files += 1;
  return join(root, `file-${files}`);
};
const strayFile = async (bytes: Uint8Array): Promise<string> => {
  const path = newPath();
  await writeFile(path, bytes);
  return path;
};

describe("in a shared folder", () => describeBlobStore({ store: () => store, strayFile, newPath }));

test("the shared folder is on another file system (test precondition)", async () => {
  expect((await stat(mounted)).dev).not.toBe((await stat(root)).dev);
});

test("a blob written or adopted by one host can be read by another", async () => {
  const other = await openDiskBlobStore(join(mounted, "blobs"), { shared: true });
  const written = await store.write(inChunks(Buffer.from("written"), 3));
  const adopted = await store.adopt(await strayFile(Buffer.from("adopted")));
  // From the folder, not from this process's memory.
  expect(await buffer(await other.read(written.id))).toEqual(Buffer.from("written"));
  expect(await buffer(await other.read(adopted.id))).toEqual(Buffer.from("adopted"));
});

test("a failed adoption leaves nothing in the folder", async () => {
  const before = await readdir(join(mounted, "blobs"), { recursive: true });
  await expect(store.adopt(join(root, "absent"))).rejects.toThrow("ENOENT");
  expect(await readdir(join(mounted, "blobs"), { recursive: true })).toEqual(before);
});
