/** Text tables (RFC 4180 and its relatives) as rows of text, with any column separator. */
import { invalid } from "../failure.ts";

export const separators: Readonly<Record<string, string>> = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" };
const names = Object.keys(separators);

/** Default column separator of each format. */
const ofFormat: Readonly<Record<string, string>> = { csv: "comma", tsv: "tab", psv: "pipe" };

/** A comma if the format has no default. */
export function ownSeparatorOf(format: string): string {
  return separators[ofFormat[format] ?? ""] ?? ",";
}

export type Dialect = {
  readonly content: string;
  readonly delimiter: string;
  /** Described in words, if it was guessed and is not the format's own. */
  readonly guessed?: string;
};

/** Decided once, from the whole text. `wanted` is the name of a separator or `auto`. */
export function dialectOf(text: string, from: string, wanted: string): Dialect {
  const { content, told } = withoutSeparatorLine(text.replace(/^\uFEFF/, ""));
  const delimiter = separators[wanted] ?? (from === "csv" ? told : ownSeparatorOf(from));
  if (delimiter !== undefined) return { content, delimiter };
  const name = separatorOf(content);
  return { content, delimiter: separators[name] ?? ",", ...(name === "comma" ? {} : { guessed: `${name}s` }) };
}

/** Excel's leading line `sep=;` describes the table and is not part of it. */
function withoutSeparatorLine(text: string): { readonly content: string; readonly told: string | undefined } {
  const [line, told] = /^"?sep=([^\r\n"])"?(?:\r?\n|$)/i.exec(text.slice(0, 16)) ?? [];
  return line === undefined ? { content: text, told: undefined } : { content: text.slice(line.length), told };
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const [quote, comma, lineFeed, carriageReturn] = [0x22, 0x2c, 0x0a, 0x0d];

/** Occurrences of each separator per row, outside quotation marks. */
type Counts = {
  rows: number;
  /** For each separator, the number of rows by its count in a row. */
  readonly often: readonly Map<number, number>[];
  readonly inFirst: boolean[];
  /** Whether all commas after the first row have a digit on both sides. */
  hasDecimalCommas: boolean;
};

function countsOf(text: string): Counts {
  const codes = names.map((name) => separators[name]?.charCodeAt(0) ?? 0);
  const counts: Counts = { rows: 0, often: names.map(() => new Map()), inFirst: [], hasDecimalCommas: true };
  let row = names.map(() => 0);
  let isBlank = true;
  const end = () => {
    if (isBlank) return;
    if (counts.rows === 0) counts.inFirst.push(...row.map((count) => count > 0));
    counts.rows += 1;
    for (const [place, count] of row.entries()) counts.often[place]?.set(count, (counts.often[place].get(count) ?? 0) + 1);
    row = row.fill(0);
    isBlank = true;
  };
  let isCellStart = true;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const place = code > 0x7c ? -1 : codes.indexOf(code);
    if (code === lineFeed || code === carriageReturn) end();
    else isBlank = false;
    if (code === quote && isCellStart) at = endOfQuoted(text, at);
    isCellStart = place >= 0 || code === lineFeed || code === carriageReturn;
    if (place < 0) continue;
    row[place] = (row[place] ?? 0) + 1;
    if (code !== comma || counts.rows === 0) continue;
    counts.hasDecimalCommas &&= isDigit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at + 1));
  }
  end();
  return counts;
}

/** Position of the closing quotation mark for the one at `at`; a doubled one is an escape. */
function endOfQuoted(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (end >= 0 && text.charCodeAt(end + 1) === quote) end = text.indexOf('"', end + 2);
  return end < 0 ? text.length : end;
}

/**
 * The separator that occurs in most rows, equally often, and in the first one; in only a few rows
 * it is part of the text. A comma between digits is a decimal mark if another separator fits.
 */
function separatorOf(text: string): string {
  const { rows, often, inFirst, hasDecimalCommas } = countsOf(text);
  const found = names.flatMap((name, place) => {
    const [best] = [...(often[place] ?? [])].filter(([count]) => count > 0).sort(([, one], [, other]) => other - one);
    if (best === undefined || (often[place]?.get(0) ?? 0) * 2 >= rows) return [];
    const [count, alike] = best;
    const isMark = name === "comma" && hasDecimalCommas && rows > 1;
    return [{ name, count, isMark, score: (alike / rows) * (inFirst[place] === true ? 1 : 0.5) }];
  });
  const others = found.filter(({ isMark, score }) => !isMark && score > 0.5);
  const [best] = (others.length > 0 ? others : found).sort((one, other) => other.score - one.score || other.count - one.count);
  return best?.name ?? "comma";
}

/**
 * The raw cells of each row, none for a blank line; line ends may be of any kind, even mixed. Text after a closing quotation mark is
 * part of the cell, as spreadsheets read it.
 */
function* linesIn({ content, delimiter }: Dialect, onMisplaced: OnRow): Generator<string[]> {
  const separator = delimiter.charCodeAt(0);
  let row: string[] = [];
  let number = 1;
  for (let at = 0; at < content.length; ) {
    const isQuoted = content.charCodeAt(at) === quote;
    const start = at;
    at = isQuoted ? endOfQuoted(content, at) : at;
    if (isQuoted) {
      if (at >= content.length) throw invalid(`A quotation mark in row ${number} is never closed.`);
      row.push(content.slice(start + 1, at).replaceAll('""', '"'));
      at += 1;
    }
    const rest = at;
    while (at < content.length && !endsCell(content.charCodeAt(at), separator)) at += 1;
    const text = content.slice(isQuoted ? rest : start, at);
    if (!isQuoted) row.push(text);
    else if (/[^ ]/.test(text)) {
      row.push(`${row.pop() ?? ""}${text}`);
      onMisplaced(number);
    }
    if (content.charCodeAt(at) === separator) {
      at += 1;
      if (at < content.length) continue;
      row.push("");
    }
    at += content.startsWith("\r\n", at) ? 2 : 1;
    yield row.length > 1 || row[0] !== "" || isQuoted ? row : [];
    row = [];
    number += 1;
  }
}

/** Called with the number of a row, from 1. */
export type OnRow = (row: number) => void;

/** Of each row that has text after a closing quotation mark. */
export const misplacedMessage = (row: number): string => `Text after a closing quotation mark was kept, first in row ${row}.`;

/** `row`: the first of those between others, from 1. */
export const blankMessage = (row: number): string => `Rows without a value were left out, from row ${row}.`;

/** The number of the first blank line between others, from 1; undefined if there is none. */
function blankAmong(lines: readonly (readonly string[])[]): number | undefined {
  const start = lines.findIndex(isFilled);
  const blank = lines.findIndex((line, place) => place > start && !isFilled(line));
  return blank >= 0 && blank < lines.findLastIndex(isFilled) ? blank + 1 : undefined;
}

const isFilled = (line: readonly string[]): boolean => line.length > 0;

/** All rows. Blank lines are skipped, except in a single column, where programs write an empty cell that way. */
export function rowsOf(dialect: Dialect, onMisplaced: OnRow = () => undefined, onBlank: OnRow = () => undefined): string[][] {
  const lines = [...linesIn(dialect, onMisplaced)];
  if (lines.some(({ length }) => length > 1)) {
    const blank = blankAmong(lines);
    if (blank !== undefined) onBlank(blank);
    return lines.filter(isFilled);
  }
  const [start, end] = [lines.findIndex(isFilled), lines.findLastIndex(isFilled) + 1];
  return lines.slice(Math.max(start, 0), end).map((line) => (isFilled(line) ? line : [""]));
}

function endsCell(code: number, separator: number): boolean {
  return code === separator || code === lineFeed || code === carriageReturn;
}

/** A canonical number, which loses nothing when parsed. 007 and 1.50, or endless zeros, are text. */
export const canonicalNumber = /^(0|-?[1-9]\d*|-?(0(?!\.0{29})|[1-9]\d*)\.\d*[1-9])$/;
