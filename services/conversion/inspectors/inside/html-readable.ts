/** Rewrites a web page so that Pandoc reads all of it. */
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { writeToHost } from "./exchange.ts";
import { withCellEnds } from "./html-cells.ts";
import { withColumns } from "./html-columns.ts";
import { withControls } from "./html-controls.ts";
import { withoutEmbedded } from "./html-embedded.ts";
import { withFigures } from "./html-figures.ts";
import { withoutHidden } from "./html-hidden.ts";
import { hasLinksInCode, withLinksInside, withPlainAddresses } from "./html-links.ts";
import { withItemNumbers, withWholeLists } from "./html-lists.ts";
import { targetsIn, withNoteAnchors } from "./note-anchors.ts";
import { contentOf } from "./remote-file.ts";

/** Far more than Pandoc can read with its memory limit. */
const mostBytes = 64 * 2 ** 20;

/** Writes the rewritten page if there is something to change. What is added is ASCII, as are tags in every encoding of single bytes. */
export async function readableHtml(file: ByteSource): Promise<Answer<"readableHtml">> {
  const page = file.sizeBytes > mostBytes ? "" : (await contentOf(file)).toString("latin1");
  const small = withoutEmbedded(page);
  const { text, left } = shownIn(small);
  const made = withNoteAnchors(text, new Set(targetsIn(text))) ?? text;
  if (made !== page) writeToHost(Buffer.from(made, "latin1"));
  return { isRewritten: made !== page, left, hasEmbedded: small !== page };
}

/** All that a page shows, in tags that Pandoc reads. `left`: sentences about what remains left out. */
export function shownIn(page: string): { readonly text: string; readonly left: readonly string[] } {
  const hidden = withoutHidden(page);
  const shown = hidden ?? page;
  const left = [
    ...(hidden === undefined ? [] : ["Hidden text was left out."]),
    ...(hasLinksInCode(shown) ? ["Addresses of links in preformatted text were left out."] : []),
  ];
  return { text: withAllParts(shown) ?? shown, left };
}

/** Undefined if nothing changes. */
export function withAllParts(page: string): string | undefined {
  const made = [
    withCellEnds,
    withColumns,
    withWholeLists,
    withPlainAddresses,
    withLinksInside,
    withItemNumbers,
    withControls,
    withFigures,
  ].reduce((text, change) => change(text) ?? text, page);
  return made === page ? undefined : made;
}
