/** Works around what the workbook library would change or cannot handle. */
import * as workbooks from "@e965/xlsx";
import { decodeEntities } from "../entities.ts";
import { tooComplex } from "../failure.ts";
import { decodeText, xmlEncodingIn } from "../text-decoding.ts";
import { withoutDrawings } from "./drawings.ts";
import { loadCodePages } from "./old-workbooks.ts";
import { attributeOf, isFlat } from "./open-document.ts";
import { withReadTexts } from "./open-document-texts.ts";
import { maxCells } from "./tables.ts";

/**
 * Reads with fixes for the library: characters beyond U+FFFF as references (`&#128512;`), CRLF line
 * ends, formula strings, which it unescapes twice, newer error values, exact dates, OpenDocument
 * cells with a value but no text, OpenDocument text, OpenDocument styles, which are optional, and
 * formatted text and empty merged cells in Excel 2003 XML. `see` gets every part of the file.
 */
export function withWholeTexts(
  bytes: Uint8Array,
  read: (bytes: Uint8Array) => workbooks.WorkBook,
  see: (name: string, content: Uint8Array) => void,
) {
  loadCodePages(bytes);
  const { fromCharCode } = String;
  const { CFB } = workbooks as { readonly CFB: Packages };
  const { read: readPackage } = CFB;
  try {
    String.fromCharCode = (...codes) => (codes.length === 1 && (codes[0] ?? 0) > 0xffff ? String.fromCodePoint : fromCharCode)(...codes);
    CFB.read = (...given) => {
      const parts = readPackage(...given);
      for (const [place, name] of parts.FullPaths.entries()) {
        const part = parts.FileIndex[place];
        if (part?.content === undefined) continue;
        see(name, part.content);
        if (/\/xl\/worksheets\/[^/]*\.xml$/.test(name)) part.content = withWrittenValues(withWholeLineEnds(withWholeStrings(part.content)));
        if (/\/xl\/sharedStrings\.xml$/i.test(name)) part.content = withWholeLineEnds(withWholeStrings(part.content));
        if (/^[^/]*\/content\.xml$/.test(name)) part.content = withShownValues(part.content);
      }
      if (CFB.find(parts, "/content.xml") && !CFB.find(parts, "/styles.xml")) CFB.utils.cfb_add(parts, "/styles.xml", noStyles);
      return parts;
    };
    if (isFlat(bytes)) see("/content.xml", bytes);
    return withPlainNames(read(isFlat(bytes) ? withShownValues(bytes) : isExcelXml(bytes) ? withPlainTexts(bytes) : bytes));
  } finally {
    String.fromCharCode = fromCharCode;
    CFB.read = readPackage;
  }
}

/** The library leaves the names of OpenDocument sheets escaped. */
function withPlainNames(book: workbooks.WorkBook): workbooks.WorkBook {
  if (!/^f?ods$/.test(book.bookType ?? "")) return book;
  const sheets = Object.entries(book.Sheets).map(([name, sheet]) => [decodeEntities(name), sheet] as const);
  return { ...book, SheetNames: book.SheetNames.map(decodeEntities), Sheets: Object.fromEntries(sheets) };
}

type Packages = {
  read(...given: readonly unknown[]): Package;
  find(parts: Package, path: string): unknown;
  readonly utils: { cfb_add(parts: Package, path: string, content: Uint8Array): unknown };
};
type Package = { readonly FullPaths: readonly string[]; readonly FileIndex: readonly { content?: Uint8Array }[] };

const isExcelXml = (bytes: Uint8Array): boolean =>
  /^[^\w]{0,16}<[\s\S]*:office:spreadsheet["']/.test(latin1(bytes.subarray(0, 8192)).replaceAll("\0", ""));

/**
 * Excel 2003 XML in UTF-8, which the library expects, without the markup inside texts, of which it would keep only
 * what follows the last, and with merged cells that have an end, without which it would count them as one column.
 */
function withPlainTexts(bytes: Uint8Array): Uint8Array {
  const text = withoutSections(decodeText(bytes, "auto", new Map(), xmlEncodingIn(Buffer.from(bytes.subarray(0, 200)))));
  let [isText, column, filled] = [false, 0, 0];
  const plain = text.replace(/<[^<>]*>/g, (tag) => {
    const [, end, prefix = "", name] = /^<(\/?)(\w{1,32}:)?(\w{1,32})/.exec(tag) ?? [];
    if (name === "Data") isText = end === "" && !tag.endsWith("/>");
    else if (isText) return "";
    if (!/^(?:Column|Row|Cell)$/.test(name ?? "") || end !== "") return tag;
    const { Index = 0, Span = 0, MergeAcross = 0, MergeDown = 0 } = placesIn(tag);
    column = name === "Row" ? 0 : name === "Column" ? Span : (Index || column + 1) + MergeAcross;
    filled += (MergeAcross + 1) * (MergeDown + 1);
    if (Index > mostRows || column > mostColumns || filled > maxCells)
      throw tooComplex("The sheet has too many rows or columns to convert.");
    return name === "Cell" && MergeAcross + MergeDown > 0 && tag.endsWith("/>") ? `${tag.slice(0, -2)}></${prefix}Cell>` : tag;
  });
  return Buffer.from(plain);
}

/** More than any office has. The library would count through them, and fill what is merged. */
const [mostRows, mostColumns] = [2 ** 20, 2 ** 14];

function placesIn(tag: string): Partial<Record<string, number>> {
  const found = tag.matchAll(/[\s:](Index|Span|MergeAcross|MergeDown)\s*=\s*["']([^"']*)/g);
  return Object.fromEntries(Array.from(found, ([, name = "", value = ""]) => [name, Number(value) || Number.parseInt(value, 10) || 0]));
}

/** CDATA as escaped text. */
function withoutSections(text: string): string {
  const [before = "", ...sections] = text.split("<![CDATA[");
  const plain = sections.map((section) => {
    const end = section.includes("]]>") ? section.indexOf("]]>") : section.length;
    return section.slice(0, end).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;") + section.slice(end + 3);
  });
  return before + plain.join("");
}

const noStyles = Buffer.from("<office:document-styles/>");

/** More rows or columns than any office has: the library would count through them. */
const repeatsWithoutEnd = /\stable:number-(?:columns|rows)-repeated=["']\d{8,}/;

/** Gives every OpenDocument cell its text: the library ignores the value of a cell that shows none. */
function withShownValues(content: Uint8Array): Uint8Array {
  if (repeatsWithoutEnd.test(latin1(content))) throw tooComplex("The sheet has too many rows or columns to convert.");
  const cell = /<table:table-cell\b([^<>]*?)(?:\/>|>\s*<\/table:table-cell>)/g;
  const shown = withReadTexts(withWrittenDates(withErrors(withoutDrawings(latin1(content))))).replace(
    cell,
    (whole: string, attributes: string) => {
      if (!/\s(?:office:value-type|table:formula)=/.test(attributes)) return whole;
      const text = attributeOf(attributes, "office:string-value");
      return `<table:table-cell${attributes}>${text === "" ? "" : `<text:p>${text}</text:p>`}</table:table-cell>`;
    },
  );
  return Buffer.from(shown, "latin1");
}

const errorCell = /(<table:(?:covered-)?table-cell\s[^<>]*>)(?=<text:p>#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A)<\/text:p>)/g;

/** Excel writes an error as the number 0 that shows its name. */
const withErrors = (content: string): string =>
  content.replace(errorCell, (tag) =>
    /\soffice:value="0"/.test(tag) ? tag.replace('office:value-type="float"', 'office:value-type="string"') : tag,
  );

const cellTag = /<table:(?:covered-)?table-cell\s[^<>]*>/g;
const datedType = /\soffice:value-type=["'](?:date|time)["']/;

/** Passes dates and times as marked strings: the library would round them to seconds and move some years to another century. */
function withWrittenDates(content: string): string {
  return content.replace(cellTag, (tag) => {
    const [, written] = (datedType.test(tag) && /\soffice:(?:date|time)-value=["']([^"'<>]*)["']/.exec(tag)) || [];
    if (written === undefined) return tag;
    return tag.replace(datedType, () => ` office:value-type="string" office:string-value="${dateMark}${written}"`);
  });
}

/** A noncharacter that no document contains, as UTF-8 in Latin-1. */
const dateMark = "\u00ef\u00bf\u00bf";
const readMark = "\uffff";

/** The text of a cell whose value is a date or time in ISO 8601. */
export const markedDate = (written: string): string => `${readMark}${written}`;

/** The date or time that a marked string holds, in an OpenDocument or a sheet; undefined for other text. */
export function writtenDateOf(text: string): string | undefined {
  return text.startsWith(readMark) ? text.slice(readMark.length) : undefined;
}

/** The library removes the first character of a CRLF, so it gets an extra one. */
function withWholeLineEnds(content: Uint8Array): Uint8Array {
  const twoMarks = /(?:_x000d_|&#13;|&#xd;)(?=\n|&#10;|&#xa;|_x000a_)/gi;
  return Buffer.from(latin1(content).replace(twoMarks, "_x000D__x000D_"), "latin1");
}

const textBeforeRuns = /(<(?:\w+:)?(?:si|is)>\s*)(<(?:\w+:)?t\b[^<>]*>[^<]*<\/(?:\w+:)?t>)\s*<((?:\w+:)?)r>/g;

/** Makes the text in front of formatted runs a run, too: the library would drop the others. */
const withWholeStrings = (content: Uint8Array): Uint8Array =>
  Buffer.from(latin1(content).replace(textBeforeRuns, "$1<$3r>$2</$3r><$3r>"), "latin1");

/** A cell up to its value, whatever prefix the writer gives to the names. */
const sheetCell = /(<(?:\w+:)?c\s[^<>]*>)(\s*(?:<(?:\w+:)?f\b[^<>]*>(?:[^<]*<\/(?:\w+:)?f>\s*)?)?)(?:(<(?:\w+:)?v\b[^<>]*>)([^<]*))?/g;

/** A sheet's XML with errors and dates as strings, formula strings escaped once more, and no value where none is stored: the library would read FALSE or 0. */
function withWrittenValues(content: Uint8Array): Uint8Array {
  const read = (whole: string, cell: string, formula: string, tag = "", value = ""): string => {
    const type = /\st=["'](\w+)/.exec(cell)?.[1];
    const as = (given: string) =>
      type === undefined ? cell.replace(/(?=\s)/, ` t="${given}"`) : cell.replace(/(\st=["'])\w+/, `$1${given}`);
    if (type === "str") return `${cell}${formula}${tag}${escaped(value)}`;
    if (value === "") return type === "b" || formula.trim() !== "" ? `${as("n")}${formula}${tag}` : whole;
    if (type === "d") return `${as("str")}${formula}${tag}${dateMark}${value}`;
    return type === "e" ? `${as("str")}${formula}${tag}${escaped(value)}` : whole;
  };
  return Buffer.from(latin1(content).replace(sheetCell, read), "latin1");
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replace(/_(?=x[\da-f]{4}_)/gi, "_x005F_");
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
