/** Decodes text from bytes in any encoding. */
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
  const guess = guessEncoding(bytes);
  notes.set("ENCODING_GUESSED", `The text encoding was guessed to be ${guess}.`);
  return decodeAs(bytes, guess);
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
