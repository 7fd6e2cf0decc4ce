/** Which pairs LibreOffice offers: within each document family, and to PDF and pictures. */
import type { Fidelity, Hop, OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import { partOptions } from "#services/conversion/domain/parts.ts";
import { crossHops, words } from "../shared/hop-table.ts";
import { encodingOption } from "../shared/node-worker.ts";
import { decimalIn, matching, oneOf, pagesOption, yesOrNo } from "../shared/options.ts";
import { archivePart } from "../shared/pdf-options.ts";
import { bom, delimiter, outputDelimiter } from "../shared/table-options.ts";
import { type Family, families, isPdf, losesTabs, officeFormats, papers, roundsNumbers } from "./libreoffice-formats.ts";

const pdfVersion = oneOf("pdfVersion", ["1.7", "pdfa-1", "pdfa-2", "pdfa-3"], "Plain PDF, or PDF/A for archives", "1.7");
const pdfOptions: readonly OptionDefinition[] = [
  pagesOption("Pages to keep"),
  { name: "imageQuality", type: "integer", min: 1, max: 100, default: 90, description: "JPEG quality of pictures" },
  { name: "imageDpi", type: "enum", values: ["75", "150", "300", "600", "1200"], description: "Maximum resolution of pictures" },
];
const landscape = yesOrNo("landscape", "`true` makes all pages landscape, `false` portrait");
const pageSize = oneOf("pageSize", Object.keys(papers), "Paper size; default: the document's own");
const margin = decimalIn("margin", [0, 100], "Margin on all sides; default: the document's own", { unit: "mm" });
const fitWidth = yesOrNo("fitWidth", "Shrink each sheet to the width of one page", { default: false });
const sheetToPrint = matching("sheet", "^[^\\x00-\\x1f]{1,64}$", "Only this sheet, by number or name");
const encoding = oneOf(
  "encoding",
  words("auto utf-8 utf-16 windows-1250 windows-1251 windows-1252 iso-8859-1 iso-8859-2 iso-8859-15 koi8-r shift_jis gb18030 big5 euc-kr"),
  "Text encoding of the input",
  "auto",
);

const quoted = yesOrNo("quoteText", "Quote all text cells, not only where needed", { default: false });

/** Targets that show one page or sheet, or text without formatting. */
const singlePage = new Set(words("png jpg webp svg emf wmf eps tiff"));
const plain = new Set(words("csv tsv dif slk dbf"));
const simplified = new Set(words("html xhtml odg json"));
const slides = new Set(words("png jpg webp"));

function fidelityOf(family: Family, from: string, to: string): Fidelity {
  if (plain.has(to)) return "reduced";
  if (from === "html" || from === "pdf") return "reduced";
  if (simplified.has(to)) return "reduced";
  if (singlePage.has(to)) return family === "drawing" && to !== "tiff" ? "reduced" : "extract";
  return "high";
}

function holdsOneSheet(family: Family, from: string, to: string): boolean {
  return family === "sheet" && plain.has(to) && from !== "csv" && from !== "tsv";
}

function optionsOf(family: Family, from: string, to: string): readonly OptionDefinition[] {
  const isSheet = family === "sheet";
  return [
    ...(holdsOneSheet(family, from, to) ? partOptions("sheet") : []),
    ...(from === "txt" ? [encoding] : []),
    ...(from === "csv" || from === "tsv" ? [encodingOption] : []),
    ...(from === "csv" ? [delimiter] : []),
    ...(to === "csv" ? [outputDelimiter] : []),
    ...(to === "csv" || to === "tsv" ? [quoted, bom] : []),
    ...(isPdf(to) ? [...pdfOptions, to === "pdf" ? pdfVersion : archivePart] : []),
    ...(isPdf(to) && isSheet ? [sheetToPrint, fitWidth] : []),
    ...(isPdf(to) && (isSheet || family === "text") ? [pageSize, margin, landscape] : []),
  ];
}

function expectationsOf(family: Family, from: string, to: string) {
  const isPlain = from === "csv" || from === "tsv";
  return [
    ...expectingAll(
      from === "csv" && "DIALECT_GUESSED",
      /^(txt|csv|tsv|html)$/.test(from) && "ENCODING_GUESSED",
      isPdf(to) && "FONT_SUBSTITUTED",
    ),
    ...expectingAll(family === "slides" && (to === "html" || to === "json") && "IMAGES_REMOVED"),
    ...expectingAll(family === "sheet" && (from === "numbers" || roundsNumbers(from, to).length > 0) && "NUMBERS_ROUNDED"),
    ...(family === "sheet" && losesTabs(from, to)
      ? [
          expecting(
            "CHARACTERS_REPLACED",
            `Tabs in cells with several lines or styles become spaces${to === "html" ? "" : ", and control characters are left out"}.`,
          ),
        ]
      : []),
    ...(isPlain ? [expecting("ENTRIES_LEFT_OUT", "Rows without a value are left out.")] : []),
    ...(isPlain && to !== "dbf" ? [expecting("CHARACTERS_REPLACED", "Control characters in cells are left out.")] : []),
    ...(family === "sheet" && /^(dif|slk|dbf)$/.test(to) && !isPlain
      ? [expecting("TYPES_AS_TEXT", `Times and booleans${to === "dbf" ? ", and columns of several types," : ""} become text.`)]
      : []),
    ...(to === "dbf"
      ? [
          expecting("NAMES_CHANGED", "Column names are cut to ten capital letters."),
          expecting(
            "CHARACTERS_REPLACED",
            isPlain ? "Control characters, and spaces at the end of texts, are left out." : "Spaces at the end of texts are left out.",
          ),
          expecting("METADATA_DROPPED", "Texts that no code page can express are in UTF-8, which the format cannot name."),
        ]
      : []),
    ...(family === "sheet" && isPdf(to)
      ? [expecting("SHEETS_LEFT_OUT", { message: "Hidden sheets, and all sheets except the selected one, are left out.", of: "sheets" })]
      : []),
    ...(family === "sheet" && to === "html"
      ? [expecting("SHEETS_LEFT_OUT", { message: "Hidden sheets are left out.", of: "sheets" })]
      : []),
    ...(from === "dxf" ? [expecting("DRAWINGS_LEFT_OUT", "Leaders, multilines, solids and copies of blocks in arrays are left out.")] : []),
    ...(family === "slides" && isPdf(to) ? [expecting("PAGES_LEFT_OUT", { message: "Hidden slides are left out.", of: "pages" })] : []),
  ];
}

function costOf(family: Family, to: string): number {
  // On the way to data, ODS keeps which cells are dates, booleans or text, and CSV does not.
  return (family === "slides" ? 500 : 250) + (slides.has(to) ? 200 : 0) + (to === "csv" ? 50 : 0);
}

/** Pages become slides in these formats, from which other slide formats are made; other documents are made from the pages' content. */
const slidesOfPages = new Set(words("pptx odp"));

/** Pairs whose filters fail. */
const failing = new Set(words("sxc>dbf html>docx2003 ppt>uop pps>uop pot>uop"));

function hopsOf(family: Family): Hop[] {
  const formats = officeFormats[family];
  const from = Object.keys(formats).filter((id) => (formats[id]?.import.length ?? 0) > 0);
  const to = Object.keys(formats).filter((id) => formats[id]?.export !== undefined);
  return crossHops(from, to, (source, target) => {
    if (failing.has(`${source}>${target}`)) return undefined;
    // The data engine reads newer documents, and this one the older: all other formats are made from a workbook of either.
    if (source === "numbers" && target !== "xlsx") return undefined;
    if (source === "pdf" && !slidesOfPages.has(target)) return undefined;
    const options = optionsOf(family, source, target);
    const part = holdsOneSheet(family, source, target) ? ({ part: "sheet" } as const) : {};
    return {
      fidelity: fidelityOf(family, source, target),
      cost: costOf(family, target),
      // Tables are completely rewritten beforehand.
      maxInputMb: source === "csv" || source === "tsv" ? 50 : 100,
      options,
      expects: expectationsOf(family, source, target),
      ...part,
    };
  });
}

export const libreofficeHops: readonly Hop[] = families.flatMap(hopsOf);

/** The document family whose filters serve a pair. */
export function familyOf(from: string, to: string): Family | undefined {
  return families.find(
    (family) => (officeFormats[family][from]?.import.length ?? 0) > 0 && officeFormats[family][to]?.export !== undefined,
  );
}
