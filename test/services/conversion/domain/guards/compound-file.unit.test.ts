import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compoundFile } from "#test/harness/compound-file.ts";
import { refusalOf } from "./refused.ts";

/** BIFF records: type, length, data. */
function records(...rows: readonly [type: number, length: number][]): Buffer {
  const written = rows.map(([type, length]) => {
    const record = Buffer.alloc(4 + length);
    record.writeUInt16LE(type, 0);
    record.writeUInt16LE(length, 2);
    return record;
  });
  return Buffer.concat([...written, Buffer.alloc(5000)]);
}

function wordDocument(flags: number, sizeBytes = 5000): Buffer {
  const stream = Buffer.alloc(sizeBytes);
  stream.writeUInt16LE(0xa5ec, 0);
  stream.writeUInt16LE(flags, 10);
  return stream;
}

function currentUser(token: number): Buffer {
  const atom = Buffer.alloc(50);
  atom.writeUInt32LE(0x14, 8);
  atom.writeUInt32LE(token, 12);
  return atom;
}

const plainWorkbook = records([0x809, 16], [0xe1, 2], [0xc1, 2], [0x0a, 0]);
const filler = new Uint8Array(5000);

describe("compound files", () => {
  it.each([
    ["an encrypted OOXML package", "docx", { EncryptionInfo: new Uint8Array(100), EncryptedPackage: filler }],
    ["an encrypted package named in capitals", "docx", { ENCRYPTEDPACKAGE: filler }],
    ["an encrypted workbook", "xls", { Workbook: records([0x809, 16], [0x2f, 54]) }],
    ["an older encrypted workbook behind a write protection", "xls", { Book: records([0x809, 8], [0x86, 0], [0x2f, 4]) }],
    ["an encrypted document", "doc", { WordDocument: wordDocument(0x0100) }],
    ["an encrypted presentation", "ppt", { "PowerPoint Document": filler, "Current User": currentUser(0xf3d1c4df) }],
    ["the second of two short streams", "ppt", { Pad: new Uint8Array(700), "Current User": currentUser(0xf3d1c4df) }],
  ])("with %s require a password", async (_what, format, streams: Record<string, Uint8Array>) => {
    expect(await refusalOf(compoundFile(streams), format)).toBe("PASSWORD_REQUIRED");
    // Beyond eight megabytes the header no longer lists every sector of the table.
    expect(await refusalOf(compoundFile(streams, 16_500), format)).toBe("PASSWORD_REQUIRED");
  });

  it.each([
    ["a workbook", "xls", { Workbook: plainWorkbook }],
    ["a document", "doc", { WordDocument: wordDocument(0x1200) }],
    ["a presentation", "ppt", { "PowerPoint Document": filler, "Current User": currentUser(0xe391c05f) }],
  ])("with %s are accepted", async (_what, format, streams: Record<string, Uint8Array>) => {
    expect(await refusalOf(compoundFile(streams), format)).toBe("accepted");
    expect(await refusalOf(compoundFile(streams, 16_500), format)).toBe("accepted");
  });

  it("that are truncated are damaged", async () => {
    expect(await refusalOf(compoundFile({ Workbook: plainWorkbook }).subarray(0, 600), "xls")).toBe("INVALID_INPUT");
  });

  it("never crash or hang the reader, however broken", async () => {
    const whole = compoundFile({ Workbook: plainWorkbook, "Current User": currentUser(0) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 40 }),
        fc.nat(whole.length),
        async (edits, cut) => {
          const bytes = Buffer.from(whole);
          for (const [at, value] of edits) if (at >= 8) bytes[at] = value;
          expect(["accepted", "INVALID_INPUT", "PASSWORD_REQUIRED"]).toContain(await refusalOf(bytes.subarray(0, Math.max(8, cut)), "xls"));
        },
      ),
      { numRuns: 500 },
    );
  });
});
