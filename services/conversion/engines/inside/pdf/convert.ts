/** A PDF as HTML with its structure: from its tags where it has them, else from how it is laid out. */
import { type Notes, type Options, type Question, textOption } from "../exchange.ts";
import { inexpressible } from "../failure.ts";
import type { PageContent } from "./content.ts";
import { htmlOf } from "./html.ts";
import { type Vocabulary, vocabularyOf } from "./inlines.ts";
import { joinPages } from "./join-pages.ts";
import { blocksOfLayout } from "./layout.ts";
import { readPdf } from "./read.ts";
import { blocksOfTagged } from "./tagged.ts";
import type { Block } from "./tree.ts";

export async function convertPdf(bytes: Buffer, { options }: Question, notes: Notes): Promise<string> {
  const { title, pages } = await readPdf(bytes, wantedPages(options));
  const scanned = pages.filter(isScanned).map(({ number }) => number);
  if (scanned.length === pages.length)
    throw inexpressible("The pages hold pictures of text and no text; text recognition (OCR) would be needed.");
  if (scanned.length > 0) notes.set("TEXT_NOT_RECOGNISED", `Text in the pictures of these pages was not recognised: ${placesOf(scanned)}.`);
  const isTagged = pages.some(({ structure }) => structure !== undefined);
  const words = vocabularyOf(
    pages.flatMap(({ runs }) => runs),
    isTagged,
  );
  const blocks = joinPages(blocksOf(pages, words));
  return htmlOf(blocks, { title });
}

/** A page that shows a picture, and letters that are none or too few to be its text. */
function isScanned({ runs, pictures, width, height }: PageContent): boolean {
  const letters = runs.reduce((sum, { text, mark }) => sum + (mark === "artifact" ? 0 : text.replace(/[^\p{L}\p{N}]/gu, "").length), 0);
  const shown = pictures.reduce((sum, { box }) => sum + (box.right - box.left) * (box.bottom - box.top), 0);
  return letters === 0 || (letters < 20 && shown > width * height * 0.5);
}

const placesOf = (pages: readonly number[]) =>
  pages.length > 10 ? `${pages.slice(0, 10).join(", ")} and ${pages.length - 10} more` : pages.join(", ");

/** Pages whose tags are whole by these, the others by their layout. */
function blocksOf(pages: readonly PageContent[], words: Vocabulary): Block[][] {
  const tagged = pages.map((page) => blocksOfTagged(page, words));
  const bare = pages.filter((_, index) => tagged[index] === undefined);
  const laidOut = blocksOfLayout(bare, words);
  return tagged.map((blocks) => blocks ?? laidOut.shift() ?? []);
}

/** A list of pages and ranges of them, counted from 1. */
function wantedPages(options: Options): (page: number) => boolean {
  const asked = textOption(options, "pages");
  if (asked === undefined) return () => true;
  const ranges = asked.split(",").map((range) => range.split("-").map(Number));
  return (page) => ranges.some(([first = 0, last = first]) => page >= first && page <= last);
}
