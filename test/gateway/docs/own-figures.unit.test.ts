import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type OwnFigure, ownFigureSectionsOf } from "#gateway/docs/own-figures.ts";
import { renewSections } from "#gateway/docs/sections.ts";
import { readOwnFigures } from "#test/prove/own/own-figures.ts";

test("the own-format table in FORMATS.md matches the output of `npm run docs`", async () => {
  const page = readFileSync(new URL("../../../services/catalogue/FORMATS.md", import.meta.url), "utf8");
  expect(page).toContain("<!-- asked:begin -->\n| Format |");
  expect(page).toBe(renewSections(page, ownFigureSectionsOf(await readOwnFigures())));
});

test("a row shows options, sizes, figures and the reason for a failure", () => {
  const row: OwnFigure = {
    ...{ format: "pdf", source: "a scan", options: { ocr: "auto", optimise: "ebook" }, engine: "pdf-change" },
    ...{ bytesBefore: 4_071_435, bytesAfter: 226_558, figures: { pages: [2, 1], ssim: 0.976 }, reader: "poppler", failure: "pages" },
  };
  expect(ownFigureSectionsOf([row]).asked?.()).toContain(
    "| `pdf` | a scan | `ocr=auto` `optimise=ebook` | 4070 → 227 kB (5.6 %) | failed: pages, pages 2 → 1, ssim 0.976 | poppler |",
  );
});
