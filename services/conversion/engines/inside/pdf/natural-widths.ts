/** Natural widths of text in substitute fonts, from pdf.js's metrics of the standard 14 fonts. */
import type { getDocument as GetDocument } from "pdfjs-dist";
import type { Look } from "./content.ts";

/** @see ISO 32000-1, 9.6.2.2 */
const names = ["Times", "Helvetica", "Courier"].flatMap((family) => {
  const [upright, slanted] = family === "Times" ? ["-Roman", "Italic"] : ["", "Oblique"];
  return [`${family}${upright}`, `${family}-Bold`, `${family}-${slanted}`, `${family}-Bold${slanted}`];
});
const families: readonly string[] = ["Times New Roman", "Arial", "Courier New"];

/** Width of a text at one point, or undefined if too many of its characters are unknown. */
export type NaturalWidth = (text: string, family: string, look: Look) => number | undefined;

/** Characters of Windows-1252 from the space on. */
const codes = Array.from({ length: 224 }, (_, index) => (index + 32).toString(16).padStart(2, "0")).join("");

let known: Promise<NaturalWidth> | undefined;

export function naturalWidths(): Promise<NaturalWidth> {
  known ??= measured();
  return known;
}

async function measured(): Promise<NaturalWidth> {
  const { getDocument, OPS } = (await import("pdfjs-dist/legacy/build/pdf.mjs")) as {
    getDocument: typeof GetDocument;
    OPS: Readonly<Record<string, number>>;
  };
  const document = await getDocument({ data: sampleOf(), verbosity: 0, disableFontFace: true, useSystemFonts: false }).promise;
  try {
    const { fnArray, argsArray } = await (await document.getPage(1)).getOperatorList();
    const shown = fnArray.flatMap((operator, index) => (operator === OPS.showText ? [argsArray[index][0] as readonly Glyph[]] : []));
    const widths = shown.map((glyphs) => new Map(glyphs.flatMap((glyph) => (glyph?.unicode ? [[glyph.unicode, glyph.width]] : []))));
    return (text, family, look) => {
      const place = families.indexOf(family) * 4 + (look.isBold ? 1 : 0) + (look.isItalic ? 2 : 0);
      return widthOf(text, widths[place] ?? new Map());
    };
  } finally {
    await document.loadingTask.destroy();
  }
}

type Glyph = { readonly unicode: string; readonly width: number } | null;

/** Unknown characters, at most a tenth, count with the mean width of the others. */
function widthOf(text: string, widths: ReadonlyMap<string, number>): number | undefined {
  const letters = [...text];
  const found = letters.flatMap((letter) => widths.get(letter === "\u00a0" ? " " : letter) ?? []);
  if (found.length < letters.length * 0.9 || found.length === 0) return undefined;
  return (found.reduce((sum, width) => sum + width, 0) / found.length / 1000) * letters.length;
}

/** A page that shows every character in each of the fonts. */
function sampleOf(): Uint8Array {
  const fonts = names.map((name, index) => `/F${index} <</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding>>`);
  const text = `BT ${names.map((_, index) => `/F${index} 1 Tf <${codes}> Tj`).join(" ")} ET`;
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<<${fonts.join("")}>>>>>>`,
    `<</Length ${text.length}>>stream\n${text}\nendstream`,
  ];
  const body = objects.map((object, index) => `${index + 1} 0 obj ${object} endobj\n`).join("");
  return new TextEncoder().encode(`%PDF-1.4\n${body}trailer <</Root 1 0 R>>\n%%EOF`);
}
