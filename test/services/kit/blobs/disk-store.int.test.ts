import { link, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DiskBlobStore, openDiskBlobStore } from "#kit/blobs/disk-store.ts";

import { describeBlobStore, inChunks } from "#test/contract/blob-store.ts";

let root: string;
let store: DiskBlobStore;
let strays = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "filemill-blobs-"));
  store = await openDiskBlobStore(join(root, "blobs"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const strayFile = async (bytes: Uint8Array): Promise<string> => {
  strays += 1;
  const path = join(root, `stray-${strays}`);
  await writeFile(path, bytes);
  return path;
};

const newPath = (): string => {
  strays += 1;
  return join(root, `copy-${strays}`);
};

describe("on the local disk", () => describeBlobStore({ store: () => store, strayFile, newPath }));

test("stores blobs as read-only files", async () => {
  const written = await store.write(inChunks(Buffer.from("bytes"), 2));
  const adopted = await store.adopt(await strayFile(Buffer.from("bytes")));
  for (const { id } of [written, adopted]) expect((await stat(store.pathOf(id))).mode & 0o777).toBe(0o444);
});

test("fails with UNAVAILABLE, not as a defect, when its folder is gone", async () => {
  const folder = join(root, "gone");
  const other = await openDiskBlobStore(folder);
  await rm(folder, { recursive: true });
  const away = { code: "UNAVAILABLE", message: "Files cannot be stored right now." };
  await expect(other.write(inChunks(Buffer.from("bytes"), 2))).rejects.toMatchObject(away);
  await expect(other.write(inChunks(Buffer.alloc(2 ** 20, 1), 2 ** 16))).rejects.toMatchObject(away);
});

test("adopts no symlink, hard link or folder", async () => {
  const target = await strayFile(Buffer.from("secret"));
  await symlink(target, join(root, "symbolic"));
  await link(target, join(root, "hard"));
  await mkdir(join(root, "folder"));
  for (const name of ["symbolic", "hard", "folder", "absent"]) await expect(store.adopt(join(root, name)), name).rejects.toThrow();
});

test("lists the partial file of an interrupted upload and removes it on demand", async () => {
  const partial = "0123456789abcdef0123456789abcdef";
  await writeFile(join(root, "blobs", "partial", partial), "half");
  const found = [];
  for await (const entry of store.list()) if (entry.partial) found.push(entry);
  expect(found).toMatchObject([{ blobId: partial, partial: true }]);
  await store.removePartial("../../stray-1");
  await store.removePartial(partial);
  for await (const entry of store.list()) expect(entry.partial).toBe(false);
});

/** Collects all garbage, so that only referenced objects remain. Twice, since the first run may continue in the background. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  collect();
  collect();
}

test("applies backpressure: a fast source does not pile up in memory", async () => {
  const mebibyte = 1024 * 1024;
  const chunk = Buffer.alloc(mebibyte, 7);
  const partial = join(root, "blobs", "partial");
  const peak = { heldBytes: 0, unwrittenBytes: 0 };
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const source = async function* () {
    for (let i = 0; i < 256; i++) {
      if (i > 0 && i % 32 === 0) {
        const [name = ""] = await readdir(partial);
        peak.unwrittenBytes = Math.max(peak.unwrittenBytes, i * mebibyte - (await stat(join(partial, name))).size);
        collectGarbage();
        peak.heldBytes = Math.max(peak.heldBytes, process.memoryUsage().arrayBuffers - before);
      }
      yield Buffer.from(chunk);
    }
  };
  const blob = await store.write(source());
  expect(blob.sizeBytes).toBe(256n * 1024n * 1024n);
  expect(peak.unwrittenBytes).toBeLessThan(16 * mebibyte);
  expect(peak.heldBytes).toBeLessThan(16 * mebibyte);
});
