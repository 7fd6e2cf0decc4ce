import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { pdfEngine } from "#services/conversion/engines/pdf/pdf.ts";
import { useBench } from "#test/contract/engine.ts";
import { type Printed, printedOf } from "#test/services/conversion/engines/documents/printed.ts";

const run = promisify(execFile);
const filler = "The quick brown fox jumps over the lazy dog while the others look on. ".repeat(6);
const sheet = (
  font: string,
) => `<!DOCTYPE html><meta charset="utf-8"><style>@page{size:170mm 240mm;margin:15mm}body{font:10pt "${font}"}</style>
<h1 style="color:#c00000">Quarterly</h1><div style="columns:2;text-align:justify">${filler}<b>Bold</b> ${filler}</div>
<p style="background:#204060;color:#ffffff;padding:6px">Inverse letters</p>
<table style="border-collapse:collapse" border="1"><tr><td>Cell<td style="background:#ffe040">Shaded<td style="text-align:right">12.50</table>
<p style="direction:rtl">שלום עולם אחרית</p>
<div style="position:absolute;left:120mm;top:150mm;rotate:-90deg">Upwards</div>
<svg width="80" height="80" style="position:absolute;left:20mm;top:150mm"><circle cx="40" cy="40" r="40" fill="#00a000"/></svg>
<div style="break-before:page">Second leaf, <sup>raised</sup></div>`;

/** LibreOffice's rendering of a document. */
async function shownBy(document: string, folder: string): Promise<string> {
  const profile = `-env:UserInstallation=file://${join(folder, "profile")}`;
  await run("soffice", [profile, "--headless", "--convert-to", "pdf", "--outdir", folder, document], { timeout: 110_000 });
  return document.replace(/docx$/, "pdf");
}

const pictureOf = async (path: string): Promise<Buffer> => {
  const { stdout } = await run("pdftoppm", ["-r", "36", "-gray", "-png", "-singlefile", path], { encoding: "buffer" });
  return await sharp(stdout).resize(40, 56, { fit: "fill" }).grayscale().raw().toBuffer();
};

/** Mean difference per pixel, of 255. */
async function differenceOf(one: string, other: string): Promise<number> {
  const [first, second] = await Promise.all([pictureOf(one), pictureOf(other)]);
  return first.reduce((sum, level, index) => sum + Math.abs(level - (second[index] ?? 0)), 0) / first.length;
}

/** Distance of words from the nearest identical one, in points: the 95th percentile. */
function shiftOf(source: Printed, shown: Printed): number {
  const alike = Map.groupBy(shown.words, ({ page, text }) => `${page} ${text}`);
  // In one of the two, each character of vertical text is a separate word.
  const shifts = source.words
    .filter(({ text }) => text.length > 1)
    .map(({ page, text, left, bottom }) =>
      Math.min(...(alike.get(`${page} ${text}`) ?? []).map((other) => Math.hypot(left - other.left, bottom - other.bottom))),
    );
  return shifts.sort((one, other) => one - other)[Math.floor(shifts.length * 0.95)] ?? Number.POSITIVE_INFINITY;
}

describe("a PDF converted to Word with exact layout", () => {
  const bench = useBench(pdfEngine);

  /** Hardly anybody has the second font: one of equal width replaces it. */
  it.each(["Liberation Serif", "C059"])(
    "keeps each word's position and colour, over the same drawings (%s)",
    async (font) => {
      const source = join(bench.folder, `${font}.pdf`);
      const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
      const page = await browser.newPage();
      await page.setContent(sheet(font));
      await page.pdf({ path: source, preferCSSPageSize: true, printBackground: true });
      await browser.close();
      const { path, notes } = await bench.convert(source, "pdf", "docx", { layout: "exact" });
      expect([...notes.keys()]).toEqual([]);
      const shown = await shownBy(path, bench.folder);
      const [before, after] = [await printedOf(source), await printedOf(shown)];
      expect(after.sizes.map(([width, height]) => [Math.round(width), Math.round(height)])).toEqual(
        before.sizes.map(([width, height]) => [Math.round(width), Math.round(height)]),
      );
      expect(shiftOf(before, after)).toBeLessThan(4);
      expect(await differenceOf(source, shown)).toBeLessThan(4);
      const { stdout: word } = await run("unzip", ["-p", path, "word/document.xml"], { maxBuffer: 2 ** 24 });
      for (const colour of ["c00000", "ffffff"]) expect(word.toLowerCase()).toContain(`<w:color w:val="${colour}"/>`);
      expect(after.text).toMatch(/Upwards/);
    },
    240_000,
  );
});
