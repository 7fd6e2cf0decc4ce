import { expect, test } from "vitest";
import { readZipDirectory } from "#services/conversion/domain/guards/zip-directory.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import { sourceOf } from "./refused.ts";

/** A ZIP64 field with the uncompressed size (APPNOTE 4.5.3). */
function sizeField(sizeBytes: bigint): Buffer {
  const field = Buffer.alloc(12);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8, 2);
  field.writeBigUInt64LE(sizeBytes, 4);
  return field;
}

test("takes the first of two ZIP64 fields, as unpackers do", async () => {
  const zip = zipFile([{ name: "a", content: "x" }]);
  const record = zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  const end = zip.indexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const fields = Buffer.concat([sizeField(5_000_000_000n), sizeField(1n)]);
  const patched = Buffer.concat([zip.subarray(0, end), fields, zip.subarray(end)]);
  patched.writeUInt32LE(0xffff_ffff, record + 24);
  patched.writeUInt16LE(fields.length, record + 30);
  patched.writeUInt32LE(end - record + fields.length, end + fields.length + 12);
  expect(await readZipDirectory(sourceOf(patched))).toMatchObject([{ name: "a", sizeBytes: 5_000_000_000 }]);
});
