import { crc32 } from "node:zlib";
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

/** A ZIP with one entry and more fields in its directory. */
function withFields(name: string, fields: Buffer): Buffer {
  const zip = zipFile([{ name, content: "x" }]);
  const record = zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  const end = zip.indexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const patched = Buffer.concat([zip.subarray(0, end), fields, zip.subarray(end)]);
  patched.writeUInt16LE(fields.length, record + 30);
  patched.writeUInt32LE(end - record + fields.length, end + fields.length + 12);
  return patched;
}

test.each([
  [crc32("__.txt"), "日本.txt"],
  [7, "__.txt"],
])("lists names by the field with Unicode only if it belongs to them (%#)", async (checksum, listedName) => {
  const field = Buffer.concat([Buffer.from("upSS1CCCC"), Buffer.from("日本.txt")]);
  field.writeUInt16LE(field.length - 4, 2);
  field.writeUInt32LE(checksum, 5);
  expect(await readZipDirectory(sourceOf(withFields("__.txt", field)))).toMatchObject([{ name: "__.txt", listedName }]);
});

test("takes the first of two ZIP64 fields, as unpackers do", async () => {
  const patched = withFields("a", Buffer.concat([sizeField(5_000_000_000n), sizeField(1n)]));
  patched.writeUInt32LE(0xffff_ffff, patched.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24);
  expect(await readZipDirectory(sourceOf(patched))).toMatchObject([{ name: "a", sizeBytes: 5_000_000_000 }]);
});
