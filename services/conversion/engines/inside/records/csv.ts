/** Text tables (RFC 4180 and its relatives). Cells are literal: a formula is just text here. */
import Papa from "papaparse";
import { type Notes, noteAlso, noteOnce, type Options, textOption } from "../exchange.ts";
import { invalid } from "../failure.ts";
import { blankMessage, dialectOf, misplacedMessage, ownSeparatorOf, rowsOf, separators } from "./delimited.ts";
import { type Cell, cellText, type Table, tableOf, tableOfTexts } from "./tables.ts";
import { firstOf, type Value } from "./values.ts";

export function linesOf(text: string, from: string, options: Options, notes: Notes): string[][] {
  const dialect = dialectOf(text, from, textOption(options, "delimiter") ?? "auto");
  if (dialect.guessed !== undefined) noteOnce(notes, "DIALECT_GUESSED", `The column separator was taken to be ${dialect.guessed}.`);
  const lines = rowsOf(
    dialect,
    (row) => noteOnce(notes, "INPUT_DAMAGED", misplacedMessage(row)),
    (row) => noteOnce(notes, "ENTRIES_LEFT_OUT", blankMessage(row)),
  );
  if (lines.length === 0) throw invalid("The table is empty.");
  return lines;
}

export function parseTable(text: string, from: string, options: Options, notes: Notes): Table {
  return tableOfTexts(linesOf(text, from, options, notes), options, notes);
}

export function writeTable(value: Value, to: string, options: Options, notes: Notes): string {
  const { columns, rows } = tableOf(value, notes);
  const withNul = new Set<string>();
  const names = columns.map((name) => name.replaceAll("\0", "\ufffd"));
  const shown = (text: string, place: number): string => {
    if (!text.includes("\0")) return text;
    withNul.add(names[place] ?? "");
    return text.replaceAll("\0", "\ufffd");
  };
  const head = options.header === false ? [] : [columns.map(shown)];
  const lines = [...head, ...rows.map((row) => row.map((cell, place) => shown(cellText(cell), place)))];
  // With that character, a file is not text to most programs.
  if (withNul.size > 0) noteAlso(notes, "CHARACTERS_REPLACED", `The character NUL was replaced: ${firstOf([...withNul])}.`);
  const ofBytes = columns.filter((_, place) => rows.some((row) => row[place] instanceof Uint8Array));
  if (ofBytes.length > 0) noteAlso(notes, "TYPES_AS_TEXT", `Bytes became text in base64: ${firstOf(ofBytes)}.`);
  return textOfLines(lines, to, options);
}

/** From a workbook: writes booleans as workbooks do. */
export function textOfCells(lines: readonly (readonly Cell[])[], to: string, options: Options): string {
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  const whole = lines.map((line) => Array.from({ length: width }, (_, place) => line[place] ?? null));
  const texts = whole.map((line) => line.map((cell) => (typeof cell === "boolean" ? String(cell).toUpperCase() : cellText(cell))));
  if (options.quoteText !== true) return textOfLines(texts, to, options);
  const delimiter = delimiterOf(to, options);
  const rows = texts.map((line, row) =>
    Papa.unparse([line], { delimiter, quotes: whole[row]?.map((cell) => typeof cell === "string") ?? [] }),
  );
  return `${options.bom === true ? "\uFEFF" : ""}${rows.join("\r\n")}\r\n`;
}

function delimiterOf(to: string, options: Options): string {
  return separators[textOption(options, "outputDelimiter") ?? ""] ?? ownSeparatorOf(to);
}

export function textOfLines(lines: readonly string[][], to: string, options: Options): string {
  const delimiter = delimiterOf(to, options);
  // A lone empty cell would be an empty line, which readers skip.
  const text = Papa.unparse([...lines], { delimiter, newline: "\r\n", quotes: (cell: unknown) => cell === "" && lines[0]?.length === 1 });
  return `${options.bom === true ? "\uFEFF" : ""}${text}\r\n`;
}
