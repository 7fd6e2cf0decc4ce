/** Rows and filled cells of tables and workbooks: in a source those that certainly exist, in a result as many as there may be. */
import { parquetMetadata } from "hyparquet";
import type { Counts } from "#services/conversion/domain/counts.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { contentOf } from "../remote-file.ts";
import { attributeOf, createNesting, scanMarkup } from "./markup.ts";
import { openPackage, type Package, wholeText } from "./parts.ts";
import { Uncountable } from "./uncountable.ts";

export async function cellsOf(file: ByteSource, format: string, isSource: boolean): Promise<Counts> {
  switch (format) {
    case "csv":
    case "tsv":
    case "psv":
      return { rows: rowsOfText(await contentOf(file), isSource) };
    case "xlsx":
    case "xlsm":
    case "xltx":
      return await ofWorkbook(await openPackage(file), isSource);
    case "ods":
    case "ots":
      return ofOpenDocument(await (await openPackage(file)).text("content.xml"), isSource);
    case "fods":
      return ofOpenDocument(wholeText(await contentOf(file)), isSource);
    case "json":
      return { rows: rowsOfRecords(JSON.parse(wholeText(await contentOf(file))), isSource) };
    case "ndjson":
      return {
        rows: rowsOfRecords(
          linesOf(wholeText(await contentOf(file))).map((line): unknown => JSON.parse(line)),
          isSource,
        ),
      };
    case "parquet":
      // Only its reader knows which of its rows have values.
      return isSource ? {} : { rows: Number(parquetMetadata(Uint8Array.from(await contentOf(file)).buffer).num_rows) + nameRow(isSource) };
    case "vcf":
    case "ics":
      return { rows: blocksOf(wholeText(await contentOf(file)), format) + nameRow(isSource) };
    default:
      return {};
  }
}

/** Column names are a row in one format and not in another. */
const nameRow = (isSource: boolean): number => (isSource ? 0 : 1);

function rowsOfRecords(value: unknown, isSource: boolean): number | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((each) => !isSource || isFilledRecord(each)).length + nameRow(isSource);
}

function isFilledRecord(value: unknown): boolean {
  const isPlain = (each: unknown) =>
    typeof each === "number" || typeof each === "boolean" || (typeof each === "string" && each.trim() !== "");
  return typeof value === "object" && value !== null && Object.values(value).some(isPlain);
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

/** Contacts, which since version 3.0 contain no other contacts, or events. */
function blocksOf(text: string, format: "vcf" | "ics"): number {
  if (/^AGENT[:;]/im.test(text)) throw new Uncountable();
  return text.match(format === "vcf" ? /^BEGIN:VCARD\b/gim : /^BEGIN:VEVENT\b/gim)?.length ?? 0;
}

const codeOf = (mark: string): number => mark.charCodeAt(0);
const [quote, comma, lineFeed, carriageReturn, semicolon] = [codeOf('"'), codeOf(","), codeOf("\n"), codeOf("\r"), codeOf(";")];
const [less, greater, slash, colon, pipe, tab, blank] = [
  codeOf("<"),
  codeOf(">"),
  codeOf("/"),
  codeOf(":"),
  codeOf("|"),
  codeOf("\t"),
  codeOf(" "),
];

/**
 * Works on bytes: the separators are the same in every encoding without zero bytes, so rows are recognised without knowing the encoding.
 */
function rowsOfText(bytes: Buffer, isSource: boolean): number {
  let [rows, isFilled, isStart] = [0, false, true];
  // Skips a byte order mark, and Excel's line that declares the separator.
  const start = isSource ? (/^(?:\xef\xbb\xbf)?(?:"?sep=[^\r\n]{1,2})?/i.exec(bytes.toString("latin1", 0, 16))?.[0].length ?? 0) : 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0) throw new Uncountable();
    const isSeparator = byte === comma || byte === semicolon || byte === pipe || byte === tab;
    if (byte === lineFeed || byte === carriageReturn) {
      rows += isFilled ? 1 : 0;
      [isFilled, isStart] = [false, true];
    } else if (byte === quote && isStart) {
      const end = endOfQuoted(bytes, at);
      isFilled ||= !isSource || hasInk(bytes, at + 1, end);
      [at, isStart] = [end, false];
    } else {
      isStart = isSeparator;
      isFilled ||= !isSource || (!isSeparator && byte > blank);
    }
  }
  return rows + (isFilled ? 1 : 0);
}

function hasInk(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) if ((bytes[at] ?? 0) > blank) return true;
  return false;
}

function endOfQuoted(bytes: Buffer, from: number): number {
  for (let at = from + 1; at < bytes.length; at += 1) {
    if (bytes[at] !== quote) continue;
    if (bytes[at + 1] !== quote) return at;
    at += 1;
  }
  return bytes.length;
}

/** Includes hidden sheets. */
async function ofWorkbook(parts: Package, isSource: boolean): Promise<Counts> {
  const names = parts.names.filter((each) => /^xl\/worksheets\/[^/]*\.xml$/.test(each));
  let [rows, cells, listed] = [0, 0, 0];
  scanMarkup(await parts.text("xl/workbook.xml"), { onTag: (name) => (listed += name === "sheet" ? 1 : 0) });
  // There are parts that belong to no sheet, or sheets that are charts.
  if (listed !== names.length) throw new Uncountable();
  const hasTexts = isSource && parts.names.includes("xl/sharedStrings.xml");
  const blanks = hasTexts ? blankTexts(await parts.text("xl/sharedStrings.xml")) : new Set<number>();
  for (const name of names) {
    const found = ofSheet(await parts.bytes(name), blanks);
    rows += found.rows;
    cells += found.cells;
  }
  return { rows, cells, sheets: listed };
}

/** Indexes of the shared strings without visible text. */
function blankTexts(strings: string): ReadonlySet<number> {
  const blanks = new Set<number>();
  let [number, isText, isBlank] = [-1, false, true];
  scanMarkup(strings, {
    onTag(name, tag) {
      if (name === "si") [number, isBlank] = [number + 1, true];
      isText = name === "t";
      if (name === "/si" || (name === "si" && tag.endsWith("/>"))) isBlank && blanks.add(number);
    },
    onText(text) {
      if (isText && !isBlankText(text)) isBlank = false;
    },
  });
  return blanks;
}

/** Line breaks and other invisible characters may be written as references. */
function isBlankText(text: string): boolean {
  const plain = text.includes("&") || text.includes("_x") ? text.replace(/&#x?[\dA-Fa-f]{1,6};|_x[\dA-Fa-f]{4}_/g, "") : text;
  return !/[^\s\p{C}]/u.test(plain);
}

/** Works on bytes, because a sheet has a tag for every few of them. */
function ofSheet(sheet: Buffer, blanks: ReadonlySet<number>) {
  let [rows, cells] = [0, 0];
  let [isRow, isCell, isShared] = [false, false, false];
  for (let open = sheet.indexOf(less); open >= 0 && open < sheet.length; ) {
    let at = open + (sheet[open + 1] === slash ? 2 : 1);
    let name = at;
    for (let byte = sheet[at] ?? greater; byte > blank && byte !== greater && byte !== slash; byte = sheet[at] ?? greater) {
      at += 1;
      if (byte === colon) name = at;
    }
    const [length, letter, rest] = [at - name, sheet[name], at];
    while (at < sheet.length && sheet[at] !== greater) at += 1;
    let [next, isBlank] = [at + 1, true];
    for (; next < sheet.length && sheet[next] !== less; next += 1) isBlank &&= (sheet[next] ?? 0) <= blank;
    // Not `rPr`, the style of a part of a text.
    if (length === 3 && letter === codeOf("r") && sheet[name + 1] === codeOf("o")) isRow = false;
    else if (length === 1 && letter === codeOf("c")) {
      isCell = false;
      isShared = blanks.size > 0 && sheet.toString("latin1", rest, at).includes(' t="s"');
    } else if (length === 1 && (letter === codeOf("v") || letter === codeOf("t")) && !isBlank && !isCell) {
      if (!isShared || !blanks.has(Number(sheet.toString("latin1", at + 1, next)))) {
        cells += 1;
        rows += isRow ? 0 : 1;
        [isCell, isRow] = [true, true];
      }
    }
    open = next;
  }
  return { rows, cells };
}

/** Their text belongs to no cell, although it is inside one. */
const drawn: ReadonlySet<string> = new Set(
  "annotation frame g control caption custom-shape rect ellipse circle line polyline polygon regular-polygon path connector measure".split(
    " ",
  ),
);

/** @see OpenDocument 1.3 part 3, 9.1.4: a cell or a row may stand for several. */
function ofOpenDocument(content: string, isSource: boolean): Counts {
  let [rows, cells, sheets] = [0, 0, 0];
  let [rowTimes, cellTimes, inRow] = [1, 1, 0];
  let [isCell, isFilled, isElsewhere] = [false, false, false];
  const drawing = createNesting(drawn);
  const fill = () => {
    isFilled = true;
    inRow += cellTimes;
  };
  scanMarkup(content, {
    onTag(name, tag) {
      drawing.follow(name, tag);
      if (name === "dde-links") isElsewhere = true;
      if (name === "table" && !isElsewhere) sheets += 1;
      else if (name === "table-source") {
        // A copy of a sheet from another file.
        isElsewhere = true;
        sheets -= 1;
      } else if (name === "/table" || name === "/dde-links") isElsewhere = false;
      else if (name === "table-row") [rowTimes, inRow] = [repeated(tag, "rows"), 0];
      else if (name === "/table-row" && !isElsewhere) {
        cells += inRow * rowTimes;
        rows += inRow > 0 ? rowTimes : 0;
      } else if (name === "table-cell" || name === "covered-table-cell") {
        [cellTimes, isCell, isFilled] = [repeated(tag, "columns"), !tag.endsWith("/>"), false];
        if (!isSource && (isCell || tag.includes("value-type"))) fill();
      } else if (name === "/table-cell" || name === "/covered-table-cell") isCell = false;
    },
    onText(text) {
      if (isCell && !isFilled && !drawing.isInside && !isBlankText(text)) fill();
    },
  });
  return { rows, cells, sheets };
}

function repeated(tag: string, what: "rows" | "columns"): number {
  return Number(attributeOf(tag, `table:number-${what}-repeated`) ?? 1);
}
