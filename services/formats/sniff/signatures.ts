/**
 * First bytes of formats that the signature library does not know or does not distinguish finely enough. Mostly from PRONOM, the `file`
 * utility and the formats' own specifications.
 */
import { type Content, contentOfFormat } from "./content.ts";
import signatures from "./signatures.json" with { type: "json" };

/** Id, offset, bytes as Latin-1. None is shorter than three bytes, because those would match by chance. */
const rows = signatures as [format: string, offset: number, bytes: string][];

const prepared = rows.map(([format, offset, bytes]) => ({ format, offset, magic: Buffer.from(bytes, "latin1") }));

export function signatureContentOf(head: Buffer): Content | undefined {
  const found = prepared.find(({ offset, magic }) => head.subarray(offset, offset + magic.length).equals(magic));
  return found === undefined ? undefined : contentOfFormat(found.format);
}
