/** Text out of bytes of any encoding. */
import type { Notes } from "./exchange.ts";
import { invalid } from "./failure.ts";
import { guessEncoding } from "./guess-encoding.ts";

/** By the byte order mark, by `encoding` unless it is `auto`, as UTF-8 when it is that, else by a guess that is noted. */
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
  notes.set("ENCODING_GUESSED", `The text's encoding was guessed to be ${guess}.`);
  return decodeAs(bytes, guess);
}

function decodeAs(bytes: Uint8Array, label: string): string {
  try {
    return refuseBinary(new TextDecoder(label, { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof RangeError) throw invalid("The file names an encoding that is not known.");
    if (error instanceof TypeError) throw invalid(`The text is not ${label.toUpperCase()}.`);
    throw error;
  }
}

function refuseBinary(text: string): string {
  if (text.includes("\0")) throw invalid("The file is not text.");
  return text;
}

function markedEncodingOf(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  // UTF-16 without a mark: every second byte of Western text is zero.
  const start = bytes.subarray(0, 64);
  const zeros = (parity: number) => start.filter((byte, index) => index % 2 === parity && byte === 0).length;
  const half = Math.floor(start.length / 2);
  if (half >= 4 && zeros(1) >= half - 1 && zeros(0) === 0) return "utf-16le";
  if (half >= 4 && zeros(0) >= half - 1 && zeros(1) === 0) return "utf-16be";
  return undefined;
}
