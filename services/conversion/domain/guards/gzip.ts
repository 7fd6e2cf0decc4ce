/** Documents that are compressed as a whole: drawings and workbooks of XML. Unpacked and counted, and nothing of it kept but the beginning. */
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { type ByteSource, bytesAt } from "./byte-source.ts";
import { tooComplex } from "./refusals.ts";
import { assertHarmlessEntities, assertPrologEnds, xmlTextOf } from "./xml.ts";

const pieceBytes = 262_144;
const headBytes = 65_536;
/** As much as the reader of drawings unpacks; real ones have a tenth of it. */
const maxUnpackedBytes = 50_000_000;
/** Of text that a reader of workbooks works through. */
const maxRatio = 100;

export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** Rejects with INPUT_TOO_COMPLEX or INVALID_INPUT; damage is the engine's to tell. */
export async function inspectGzip(source: ByteSource): Promise<void> {
  const limitBytes = Math.max(maxUnpackedBytes, source.sizeBytes * maxRatio);
  const begin: Buffer[] = [];
  let kept = 0;
  let bytes = 0;
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < source.sizeBytes; at += pieceBytes) yield await bytesAt(source, at, pieceBytes);
  }
  await pipeline(pieces(), createGunzip({ chunkSize: pieceBytes }), async (unpacked: AsyncIterable<Buffer>) => {
    for await (const piece of unpacked) {
      bytes += piece.length;
      if (kept < headBytes) begin.push(piece.subarray(0, headBytes - kept));
      kept += piece.length;
      if (bytes > limitBytes) return;
    }
  }).catch(() => undefined);
  if (bytes > limitBytes) throw tooComplex("The file expands to far more than its size.");
  const head = Buffer.concat(begin);
  const text = xmlTextOf(head);
  if (!/^[\s\uFEFF]*</.test(text)) return;
  if (head.length < bytes) assertPrologEnds(text);
  assertHarmlessEntities(text);
}
