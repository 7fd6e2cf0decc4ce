/** Rewrites texts in encodings that readers do not expect. */
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { guessEncoding } from "#services/conversion/engines/inside/guess-encoding.ts";
import { unmarkedOf } from "#services/conversion/engines/inside/text-decoding.ts";
import { writeToHost } from "./exchange.ts";
import { withoutEmbedded } from "./html-embedded.ts";
import { shownIn } from "./html-readable.ts";
import { contentOf } from "./remote-file.ts";

/** Text that is not UTF-8. Its encoding is found by the byte order mark, by what HTML states, or by a guess. */
export async function decodeText(file: ByteSource, isPage: boolean): Promise<Answer<"decodedText">> {
  const content = await contentOf(file);
  const bytes = isPage ? Buffer.from(withoutEmbedded(content.toString("latin1")), "latin1") : content;
  const label = labelOf(bytes.subarray(0, 2048).toString("latin1")) ?? unmarkedOf(bytes);
  const guess = label === undefined ? guessEncoding(bytes) : undefined;
  const text = new TextDecoder(label ?? guess).decode(bytes);
  const shown = isPage ? shownIn(text) : { text, left: [] };
  writeToHost(Buffer.from(shown.text));
  return { guess, left: shown.left };
}

function labelOf(head: string): string | undefined {
  if (head.startsWith("\xff\xfe")) return "utf-16le";
  if (head.startsWith("\xfe\xff")) return "utf-16be";
  const named = /(?:charset|encoding)\s*=\s*["']?([A-Za-z0-9_:-]{2,32})/.exec(head)?.[1];
  const encoding = named === undefined ? undefined : encodingNamed(named);
  return encoding === "utf-8" ? undefined : encoding;
}

function encodingNamed(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
