/** Rewrites a web page so that Pandoc reads all of it. */
import { isUtf8 } from "node:buffer";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { writeToHost } from "./exchange.ts";
import { withCellEnds } from "./html-cells.ts";
import { withColumns } from "./html-columns.ts";
import { withControls } from "./html-controls.ts";
import { withoutEmbedded } from "./html-embedded.ts";
import { withFigures } from "./html-figures.ts";
import { addsText } from "./html-generated.ts";
import { withWholeHeads } from "./html-heads.ts";
import { withoutHidden } from "./html-hidden.ts";
import { sheetsIn } from "./html-hiding-rules.ts";
import { hasLinksInCode, withCodeInside, withLinksInside, withPlainAddresses } from "./html-links.ts";
import { withItemNumbers, withWholeLists } from "./html-lists.ts";
import { targetsIn, withNoteAnchors } from "./note-anchors.ts";
import { contentOf } from "./remote-file.ts";

/** Far more than Pandoc can read with its memory limit. */
const mostBytes = 64 * 2 ** 20;

/** Writes the rewritten page if there is something to change. */
export async function readableHtml(file: ByteSource): Promise<Answer<"readableHtml">> {
  // What is embedded is found again by its place in bytes.
  const page = file.sizeBytes > mostBytes ? "" : (await contentOf(file)).toString("latin1");
  const small = withoutEmbedded(page);
  const bytes = Buffer.from(small, "latin1");
  // As single bytes, letters such as "à" would end in a blank.
  const encoding = isUtf8(bytes) ? "utf8" : "latin1";
  const given = bytes.toString(encoding);
  const { text, left } = shownIn(given);
  const made = withNoteAnchors(text, new Set(targetsIn(text))) ?? text;
  const isRewritten = made !== given || small !== page;
  if (isRewritten) writeToHost(Buffer.from(made, encoding));
  return { isRewritten, left, hasEmbedded: small !== page };
}

/** All that a page shows, in tags that Pandoc reads. `left`: sentences about what remains left out. */
export function shownIn(page: string): { readonly text: string; readonly left: readonly string[] } {
  const hidden = withoutHidden(page);
  const shown = hidden ?? page;
  return { text: withAllParts(shown) ?? shown, left: leftIn([{ page, shown, sheets: sheetsIn(page) }]) };
}

/** A page before and after what is hidden was left out, and its style sheets. */
type Shown = { readonly page: string; readonly shown: string; readonly sheets: readonly string[] };

/** What was left out, and what `withAllParts` cannot keep. */
export const leftIn = (pages: readonly Shown[]): readonly string[] => [
  ...(pages.some(({ page, shown }) => page !== shown) ? ["Hidden text was left out."] : []),
  ...(pages.some(({ shown, sheets }) => addsText(shown, sheets)) ? ["Text that style sheets add to elements was left out."] : []),
  ...(pages.some(({ shown }) => hasLinksInCode(shown)) ? ["Addresses of links in preformatted text were left out."] : []),
];

/** Undefined if nothing changes. */
export function withAllParts(page: string): string | undefined {
  const made = [
    withCellEnds,
    withColumns,
    withWholeHeads,
    withWholeLists,
    withPlainAddresses,
    withLinksInside,
    withCodeInside,
    withItemNumbers,
    withControls,
    withFigures,
  ].reduce((text, change) => change(text) ?? text, page);
  return made === page ? undefined : made;
}
