/**
 * Detects passwords in the older office formats, and in the newer ones, whose encrypted package is wrapped in the older container.
 *
 * @see [MS-CFB], [MS-OFFCRYPTO] 2.3, [MS-XLS] 2.4.117 (FilePass), [MS-DOC] 2.5.2 (FibBase), [MS-PPT] 2.3.2 (CurrentUserAtom)
 */
import { type CompoundStream, compoundReaderOf } from "#formats/sniff/compound-directory.ts";
import type { ByteSource } from "./byte-source.ts";
import { damaged, locked } from "./refusals.ts";

/** Rejects with PASSWORD_REQUIRED. Other oddities are left to the engine. */
export async function inspectCompoundFile(source: ByteSource): Promise<void> {
  if (source.sizeBytes < 1024) throw damaged();
  const file = compoundReaderOf(source);
  const streams = await file.streams();
  // Names are compared without case ([MS-CFB] 2.6.4).
  const named = (pattern: RegExp): CompoundStream | undefined => streams.find(({ name }) => pattern.test(name));
  if (named(/^(EncryptedPackage|EncryptedSummary|\tDRMContent)$/i) !== undefined) throw locked();
  const workbook = named(/^(Workbook|Book)$/i);
  if (workbook !== undefined && hasFilePass(await file.begin(workbook))) throw locked();
  const document = named(/^WordDocument$/i);
  // fEncrypted is bit 8 of the flags.
  if (document !== undefined && (((await file.begin(document))[0x0b] ?? 0) & 1) !== 0) throw locked();
  const presenter = named(/^Current User$/i);
  if (presenter !== undefined) {
    const atom = await file.begin(presenter);
    if (atom.length >= 16 && atom.readUInt32LE(12) === 0xf3d1c4df) throw locked();
  }
}

/** FilePass follows the stream's BOF record, after a write protection record at most. */
function hasFilePass(bytes: Buffer): boolean {
  for (let at = 0, records = 0; at + 4 <= bytes.length && records < 4; records++) {
    if (bytes.readUInt16LE(at) === 0x2f) return true;
    at += 4 + bytes.readUInt16LE(at + 2);
  }
  return false;
}
