/** Compressed text and profiles of a PNG, which readers decompress completely before the first pixel. */
import { inflateSync } from "node:zlib";
import { type ByteSource, bytesAt } from "./byte-source.ts";
import { tooComplex } from "./refusals.ts";

const compressed = new Set(["zTXt", "iTXt", "iCCP"]);
/** The largest profiles of printing presses have 4 MB. */
const maxInflatedBytes = 16_000_000;
const maxExpansion = 1032;
const maxChunks = 1000;
const longestKeyword = 80;
const longestChunkBytes = 262_144;

type Chunk = { readonly offset: number; readonly length: number };

/** Rejects with INPUT_TOO_COMPLEX. Readers do not read chunks after the first picture data either. */
export async function inspectPngText(source: ByteSource): Promise<void> {
  const chunks = await compressedChunksOf(source);
  if (chunks.reduce((sum, { length }) => sum + length, 0) * maxExpansion <= maxInflatedBytes) return;
  let inflatedBytes = 0;
  for (const chunk of chunks) {
    inflatedBytes += await inflatedBytesOf(source, chunk, maxInflatedBytes - inflatedBytes);
    if (inflatedBytes > maxInflatedBytes) throw tooComplex("The picture contains too much text.");
  }
}

async function compressedChunksOf(source: ByteSource): Promise<readonly Chunk[]> {
  const found: Chunk[] = [];
  let offset = 8;
  for (let chunks = 0; chunks < maxChunks; chunks++) {
    const head = await bytesAt(source, offset, 8);
    const type = head.toString("latin1", 4, 8);
    if (head.length < 8 || type === "IDAT") return found;
    const length = head.readUInt32BE(0);
    if (compressed.has(type)) found.push({ offset: offset + 8, length });
    offset += 12 + length;
  }
  throw tooComplex("The picture has too many parts before its content.");
}

/** A lower limit of a chunk's decompressed size. Counts no further than `limitBytes`. */
async function inflatedBytesOf(source: ByteSource, { offset, length }: Chunk, limitBytes: number): Promise<number> {
  if (length > longestChunkBytes) return limitBytes + 1;
  const data = await bytesAt(source, offset, length);
  // Keyword, zero byte, method. iTXt also has a flag, a language and a translation.
  const begin = data.indexOf("\x78", Math.max(0, data.subarray(0, longestKeyword).indexOf(0)), "latin1");
  if (begin < 0) return length;
  try {
    return inflateSync(data.subarray(begin), { maxOutputLength: Math.max(1, limitBytes) }).length;
  } catch (error) {
    const isTooLong = error instanceof RangeError || (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE");
    return isTooLong ? limitBytes + 1 : length;
  }
}
