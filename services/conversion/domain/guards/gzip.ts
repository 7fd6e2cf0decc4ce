/** Checks XML drawings and workbooks that are compressed as a whole. They are decompressed and counted, and only the beginning is kept. */
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { type ByteSource, bytesAt } from "./byte-source.ts";
import { tooComplex } from "./refusals.ts";
import { assertHarmlessEntities, assertPrologEnds, xmlTextOf } from "./xml.ts";

const pieceBytes = 262_144;
const headBytes = 65_536;
/** As much as the reader of drawings decompresses. Real drawings have a tenth of it. */
const maxUnpackedBytes = 50_000_000;
/** Limit for text that a reader of workbooks processes. */
const maxRatio = 100;

export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** The beginning of the content, and its size, counted until it exceeds the limit. Damage ends both. */
export async function startOfGzip(source: ByteSource, keptBytes: number, limitBytes = keptBytes): Promise<{ head: Buffer; bytes: number }> {
  const begin: Buffer[] = [];
  let bytes = 0;
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < source.sizeBytes; at += pieceBytes) yield await bytesAt(source, at, pieceBytes);
  }
  await pipeline(pieces(), createGunzip({ chunkSize: pieceBytes }), async (unpacked: AsyncIterable<Buffer>) => {
    for await (const piece of unpacked) {
      if (bytes < keptBytes) begin.push(piece.subarray(0, keptBytes - bytes));
      bytes += piece.length;
      if (bytes > limitBytes) return;
    }
  }).catch(() => undefined);
  return { head: Buffer.concat(begin), bytes };
}

/** Rejects with INPUT_TOO_COMPLEX or INVALID_INPUT. Damage is left to the engine. */
export async function inspectGzip(source: ByteSource): Promise<void> {
  const limitBytes = Math.max(maxUnpackedBytes, source.sizeBytes * maxRatio);
  const { head, bytes } = await startOfGzip(source, headBytes, limitBytes);
  if (bytes > limitBytes) throw tooComplex("The file expands to far more than its size.");
  const text = xmlTextOf(head);
  if (!/^[\s\uFEFF]*</.test(text)) return;
  if (head.length < bytes) assertPrologEnds(text);
  assertHarmlessEntities(text);
}
