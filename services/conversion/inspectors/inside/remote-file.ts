import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { type FileAsked, readFromHost } from "./exchange.ts";

const longestRead = 262_144;
const firstWindow = 8192;

/**
 * A file of the question. The host sends the parts that are requested. Each read is a round trip, so short forward reads are served from a
 * window, which grows as long as they continue.
 */
export function openRemoteFile(index: number, { sizeBytes, head: sentHead, tail: sentTail }: FileAsked): ByteSource {
  const head = Buffer.from(sentHead, "base64");
  const tail = Buffer.from(sentTail ?? "", "base64");
  let window: { readonly from: number; readonly bytes: Buffer } = { from: 0, bytes: head };
  let windowBytes = firstWindow;

  function ask(offset: number, length: number): Buffer {
    return readFromHost(index, offset, Math.min(length, longestRead, sizeBytes - offset));
  }

  function holds(from: number, bytes: Buffer, offset: number, end: number): boolean {
    return offset >= from && end <= from + bytes.length;
  }

  async function read(offset: number, wanted: number): Promise<Buffer> {
    const length = Math.min(wanted, longestRead, sizeBytes - offset);
    if (!Number.isSafeInteger(offset) || offset < 0 || !(length > 0)) return Buffer.alloc(0);
    const end = offset + length;
    if (holds(0, head, offset, end)) return head.subarray(offset, end);
    const tailFrom = sizeBytes - tail.length;
    if (holds(tailFrom, tail, offset, end)) return tail.subarray(offset - tailFrom, end - tailFrom);
    if (!holds(window.from, window.bytes, offset, end)) {
      const windowEnd = window.from + window.bytes.length;
      const goesOn = offset >= window.from && offset <= windowEnd + windowBytes;
      windowBytes = goesOn ? Math.min(windowBytes * 2, longestRead) : firstWindow;
      if (length >= windowBytes) return ask(offset, length);
      window = { from: offset, bytes: ask(offset, windowBytes) };
    }
    return window.bytes.subarray(offset - window.from, end - window.from);
  }

  return { sizeBytes, head, read };
}

/** The whole content, up to `most` bytes. */
export async function contentOf({ sizeBytes, head, read }: ByteSource, most = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const wanted = Math.min(sizeBytes, most);
  if (head.length >= wanted) return head.subarray(0, wanted);
  const content = Buffer.allocUnsafeSlow(wanted);
  let length = head.copy(content);
  while (length < wanted) {
    const piece = await read(length, wanted - length);
    if (piece.length === 0) break;
    length += piece.copy(content, length);
  }
  return content.subarray(0, length);
}
