import { FilemillError } from "#contract/errors.ts";
import { formatOf } from "#formats/index.ts";
import type { TextPage } from "./workbench.ts";

const longestCharacter = 4;

/** Throws INVALID_OPTION unless the format is text that can be read page by page. */
export function checkReadable(format: string): void {
  const mime = formatOf(format)?.mime ?? "";
  if (/^text\/|[/+](json5?|hjson|xml|yaml|toml|x-ndjson|sql|x-subrip|x-sami|x-tex|x-texinfo|x-bibtex)(;|$)/.test(mime)) return;
  throw new FilemillError("INVALID_OPTION", `A ${format} file is not text; convert it to md or txt, and read that.`);
}

/**
 * Reads a page of text from a byte offset, which is 0 or an earlier `nextOffset`.
 *
 * @param read - Reads this many bytes from a position, or fewer at the end.
 */
export async function textPageOf(
  totalBytes: number,
  offset: number,
  maxBytes: number,
  read: (start: number, bytes: number) => Promise<Buffer>,
): Promise<TextPage> {
  if (offset >= totalBytes) {
    if (offset === 0) return { text: "", totalBytes, nextOffset: undefined };
    throw new FilemillError("BAD_REQUEST", `The offset is beyond the end of the text, which has ${totalBytes} bytes.`);
  }
  const bytes = await read(offset, Math.min(maxBytes, totalBytes - offset));
  const isLast = offset + bytes.length >= totalBytes;
  const end = isLast ? bytes.length : wholeCharacters(bytes);
  return { text: bytes.toString("utf8", 0, end), totalBytes, nextOffset: isLast ? undefined : offset + end };
}

/** Where to cut so that no character is split. Bytes that are not UTF-8 are cut anywhere. */
function wholeCharacters(bytes: Buffer): number {
  for (let at = bytes.length - 1; at > bytes.length - longestCharacter && at > 0; at--) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) return at + 1;
    if (byte >= 0xc0) return at;
  }
  return bytes.length;
}
