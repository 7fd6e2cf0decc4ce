/** TIFF 6.0, BigTIFF and the camera formats built on it. */
import { type Content, contentOfFormat } from "./content.ts";
import type { Source } from "./source.ts";

const dngVersion = 50_706;

export async function tiffContentOf(source: Source): Promise<Content | undefined> {
  const { head } = source;
  const order = head.toString("latin1", 0, 2);
  if ((order !== "II" && order !== "MM") || head.length < 8) return undefined;
  // DICOM leaves its first bytes to other formats, and often has a TIFF's there.
  if (head.toString("latin1", 128, 132) === "DICM") return contentOfFormat("dcm", { orNamed: ["tiff"] });
  const isBig = order === "MM";
  const short = (bytes: Buffer, at: number) => (isBig ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at));
  const version = short(head, 2);
  if (version === 43) return contentOfFormat("tiff");
  if (version !== 42) return undefined;
  if (head.toString("latin1", 8, 10) === "CR") return contentOfFormat("cr2");
  const offset = isBig ? head.readUInt32BE(4) : head.readUInt32LE(4);
  const directory = await source.read(offset, 2 + 12 * 256);
  const count = directory.length < 2 ? 0 : short(directory, 0);
  for (let at = 2; at + 12 <= directory.length && at < 2 + count * 12; at += 12) {
    if (short(directory, at) === dngVersion) return contentOfFormat("dng", { orNamed: ["tiff"] });
  }
  return contentOfFormat("tiff");
}
