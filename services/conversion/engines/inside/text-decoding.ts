/** Decodes text from bytes in any encoding. */
import { isAscii, isUtf8 } from "node:buffer";
import type { Notes } from "./exchange.ts";
import { invalid } from "./failure.ts";
import { guessEncoding } from "./guess-encoding.ts";

/** Decodes by the byte order mark, then by `encoding` unless it is `auto`, then as UTF-8 if it is valid, else by a guess that is noted. */
export function decodeText(bytes: Uint8Array, encoding: string, notes: Notes, declared?: string): string {
  const marked = markedEncodingOf(bytes);
  const told = marked ?? (encoding === "auto" ? declared : encoding);
  if (told !== undefined) return decodeAs(bytes, told);
  try {
    return refuseBinary(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  const parts = partsOf(bytes);
  const others = Buffer.concat(parts.filter(({ isUnicode }) => !isUnicode).map(({ part }) => part));
  // Of legacy East Asian text, a few lines are UTF-8 by chance. Lines of ASCII tell nothing.
  const isMixed = 2 * signsIn(others) < signsIn(bytes) || (others.length < bytes.length && isOfBytes(guessEncoding(others)));
  const guess = guessEncoding(isMixed ? others : bytes);
  notes.set("ENCODING_GUESSED", `The ${isMixed ? "encoding of lines that are not UTF-8" : "text encoding"} was guessed to be ${guess}.`);
  return isMixed ? parts.map(({ part, isUnicode }) => decodeAs(part, isUnicode ? "utf-8" : guess)).join("") : decodeAs(bytes, guess);
}

/** Bytes beyond ASCII. */
const signsIn = (bytes: Uint8Array): number => bytes.reduce((count, byte) => count + (byte >> 7), 0);

/** Whether each character is one byte. */
const isOfBytes = (label: string): boolean => /^(windows|iso)-/.test(label);

/** Runs of lines that are UTF-8 and of those that are not, as in files that were put together from others. */
function partsOf(bytes: Uint8Array): { readonly part: Uint8Array; readonly isUnicode: boolean }[] {
  const parts: { part: Uint8Array; isUnicode: boolean }[] = [];
  let from = 0;
  let isUnicode: boolean | undefined;
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at) + 1 || bytes.length;
    const line = bytes.subarray(at, end);
    const isOfUnicode = isAscii(line) ? isUnicode : isUtf8(line);
    if (isUnicode !== undefined && isOfUnicode !== isUnicode) {
      parts.push({ part: bytes.subarray(from, at), isUnicode });
      from = at;
    }
    isUnicode = isOfUnicode;
    at = end;
  }
  return [...parts, { part: bytes.subarray(from), isUnicode: isUnicode ?? true }];
}

function decodeAs(bytes: Uint8Array, label: string): string {
  try {
    return refuseBinary(new TextDecoder(label, { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof RangeError) throw invalid("The file declares an unknown encoding.");
    if (error instanceof TypeError) throw invalid(`The text is not ${label.toUpperCase()}.`);
    throw error;
  }
}

function refuseBinary(text: string): string {
  if (text.includes("\0")) throw invalid("The file is not text.");
  return text;
}

export function markedEncodingOf(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return unmarkedOf(bytes);
}

const sampleBytes = 4096;
/** Characters that never occur in text. */
const strange = /[^\P{Cc}\s]|[\p{Cn}\p{Co}\ufffd]/u;

/** UTF-16 without a byte order mark: in ASCII text all zero bytes are on the same side, and other texts have hardly any. */
export function unmarkedOf(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const start = bytes.subarray(0, sampleBytes);
  const zeros = [0, 0];
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const label = odd > 3 * even ? "utf-16le" : even > 3 * odd ? "utf-16be" : undefined;
  if (label === undefined || start.length < 8) return undefined;
  if (
    even + odd < start.length / 4 &&
    isText(
      start.filter((byte) => byte !== 0),
      "utf-8",
    )
  )
    return undefined;
  return isText(start, label) ? label : undefined;
}

/** Whether the bytes, which may end in the middle of a character, are text. */
function isText(bytes: Uint8Array, label: string): boolean {
  return !strange.test(new TextDecoder(label).decode(bytes, { stream: true }));
}

/** The encoding that an XML declaration names. If it can be read here, UTF-16 is wrong. */
export function xmlEncodingIn(bytes: Buffer): string | undefined {
  return /^\s*<\?xml[^>]*\sencoding\s*=\s*["'](?!utf-?16)([\w.:-]{2,40})["']/i.exec(bytes.toString("latin1", 0, 200))?.[1];
}
