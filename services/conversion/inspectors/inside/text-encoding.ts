/** Guesses the code page of a text that does not state it. */
import { encodingOf } from "#formats/sniff/encoding.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { guessEncoding } from "#services/conversion/engines/inside/guess-encoding.ts";
import { contentOf } from "./remote-file.ts";

/** Enough of a text to recognise its letters. */
const headBytes = 256 * 1024;

/** A guess. Undefined for Unicode, and for an HTML page that states its encoding. */
export async function guessedEncodingOf(file: ByteSource, isPage: boolean): Promise<string | undefined> {
  const head = await contentOf(file, headBytes);
  if (isPage && /\b(?:charset|encoding)\s*=/i.test(head.toString("latin1", 0, 8192))) return undefined;
  // A character cut off at the end of the head must not decide.
  const whole = head.length < headBytes ? head : head.subarray(0, head.lastIndexOf(0x0a) + 1);
  return encodingOf(head) === "legacy" ? guessEncoding(whole) : undefined;
}
