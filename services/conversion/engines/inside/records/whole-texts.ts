/** What the library that reads workbooks would change, or cannot do without. */
import * as workbooks from "@e965/xlsx";
import { attributeOf, isFlat } from "./open-document.ts";
import { withReadTexts } from "./open-document-texts.ts";

/**
 * Reads with what the library lacks: letters beyond 65,535 as references (`&#128512;`), ends of lines of two marks, texts of formulas,
 * which it unescapes twice, errors that are younger than it, dates as they are written, cells of an OpenDocument that have a value and no
 * text, its texts, and its styles, which may go without.
 */
export function withWholeTexts<T>(bytes: Uint8Array, read: (bytes: Uint8Array) => T): T {
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
        if (/\/xl\/worksheets\/[^/]*\.xml$/.test(name)) part.content = withWrittenValues(withWholeLineEnds(part.content));
        if (/\/xl\/sharedStrings\.xml$/i.test(name)) part.content = withWholeLineEnds(part.content);
        if (/^[^/]*\/content\.xml$/.test(name)) part.content = withShownValues(part.content);
      }
      if (CFB.find(parts, "/content.xml") && !CFB.find(parts, "/styles.xml")) CFB.utils.cfb_add(parts, "/styles.xml", noStyles);
      return parts;
    };
    return read(isFlat(bytes) ? withShownValues(bytes) : bytes);
  } finally {
    String.fromCharCode = fromCharCode;
    CFB.read = readPackage;
  }
}

type Packages = {
  read(...given: readonly unknown[]): Package;
  find(parts: Package, path: string): unknown;
  readonly utils: { cfb_add(parts: Package, path: string, content: Uint8Array): unknown };
};
type Package = { readonly FullPaths: readonly string[]; readonly FileIndex: readonly { content?: Uint8Array }[] };

const noStyles = Buffer.from("<office:document-styles/>");
const mark = ' t="str"';

/** An OpenDocument's XML whose cells all show what they are: what has a value and shows nothing the library takes for nothing. */
function withShownValues(content: Uint8Array): Uint8Array {
  const cell = /<table:table-cell\b([^<>]*?)(?:\/>|>\s*<\/table:table-cell>)/g;
  const shown = withReadTexts(withWrittenDates(latin1(content))).replace(cell, (whole: string, attributes: string) => {
    if (!/\s(?:office:value-type|table:formula)=/.test(attributes)) return whole;
    const text = attributeOf(attributes, "office:string-value");
    return `<table:table-cell${attributes}>${text === "" ? "" : `<text:p>${text}</text:p>`}</table:table-cell>`;
  });
  return Buffer.from(shown, "latin1");
}

const cellTag = /<table:(?:covered-)?table-cell\s[^<>]*>/g;
const datedType = /\soffice:value-type=["'](?:date|time)["']/;

/** Dates and times as texts with a mark: the library makes whole seconds of them, and other centuries of other years. */
function withWrittenDates(content: string): string {
  return content.replace(cellTag, (tag) => {
    const [, written] = (datedType.test(tag) && /\soffice:(?:date|time)-value=["']([^"'<>]*)["']/.exec(tag)) || [];
    if (written === undefined) return tag;
    return tag.replace(datedType, () => ` office:value-type="string" office:string-value="${dateMark}${written}"`);
  });
}

/** What no document can hold, as UTF-8 in Latin-1. */
const dateMark = "\u00ef\u00bf\u00bf";
const readMark = "\uffff";

/** The date or time that a text is in an OpenDocument or a sheet; undefined where it is a text. */
export function writtenDateOf(text: string): string | undefined {
  return text.startsWith(readMark) ? text.slice(readMark.length) : undefined;
}

/** The library takes the first of two marks that end a line, so it gets three. */
function withWholeLineEnds(content: Uint8Array): Uint8Array {
  const twoMarks = /(?:_x000d_|&#13;|&#xd;)(?=\n|&#10;|&#xa;|_x000a_)/gi;
  return Buffer.from(latin1(content).replace(twoMarks, "_x000D__x000D_"), "latin1");
}

/** A sheet's XML with errors and dates as texts, and the texts of formulas escaped once more. */
function withWrittenValues(content: Uint8Array): Uint8Array {
  const text = latin1(content)
    .replace(/(<(?:\w+:)?c\s[^<>]*?\s)t="e"/g, '$1t="str"')
    .replace(/(<(?:\w+:)?c\s[^<>]*>)(\s*<(?:\w+:)?v[^<>]*>)/g, (whole: string, cell: string, value: string) =>
      cell.includes(' t="d"') ? `${cell.replace(' t="d"', ' t="str"')}${value}${dateMark}` : whole,
    );
  const parts: string[] = [];
  let done = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
    const start = text.indexOf("<v", at);
    const end = text.indexOf("</v>", start);
    const next = text.indexOf("</c>", at);
    if (start < 0 || end < 0 || (next >= 0 && next < start)) continue;
    parts.push(text.slice(done, start), escaped(text.slice(start, end)));
    done = end;
  }
  return Buffer.from(parts.join("") + text.slice(done), "latin1");
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replace(/_(?=x[\da-f]{4}_)/gi, "_x005F_");
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
