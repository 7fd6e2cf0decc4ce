/** Word positions and fonts of a PDF, as poppler reads them. */

import { textFrom } from "./program.ts";
import { entities } from "./words.ts";

export type PlacedWord = {
  readonly word: string;
  /** From 1. */
  readonly page: number;
  /** The left edge and vertical middle, in points from the page's top left corner. */
  readonly left: number;
  readonly middle: number;
};

const line = /<(?:page |word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="[\d.-]+" yMax="([\d.-]+)">([^<]*))/g;

export async function wordsOf(path: string): Promise<readonly PlacedWord[]> {
  const found: PlacedWord[] = [];
  let page = 0;
  for (const [, left, top, bottom, word] of (await textFrom("pdftotext", "-bbox", path, "-")).matchAll(line)) {
    if (word === undefined) page += 1;
    else found.push({ word: entities(word), page, left: Number(left), middle: (Number(top) + Number(bottom)) / 2 });
  }
  return found;
}

/** Without subset prefix, blanks, hyphens and `Regular`; other styles stay: `LiberationSansBold`. */
export async function familiesOf(path: string): Promise<readonly string[]> {
  const rows = (await textFrom("pdffonts", path)).split("\n").slice(2);
  const names = rows.map((row) =>
    row
      .slice(0, 36)
      .trim()
      .replace(/^[A-Z]{6}\+/, ""),
  );
  return names.map((name) =>
    name
      .replaceAll(/[ -]/g, "")
      .replace(/Regular$/, "")
      .replace(/-Identity.*/, ""),
  );
}
