/** Text tables (RFC 4180 and its relatives). A cell is what it says: formulas are text here. */
import Papa from "papaparse";
import { type Notes, type Options, textOption } from "../exchange.ts";
import { invalid } from "../failure.ts";
import { cellText, type Table, tableOf, tableOfTexts } from "./tables.ts";
import type { Value } from "./values.ts";

const delimiters: Readonly<Record<string, string>> = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" };

/** What each format separates its columns by, where no option says otherwise. */
const ofFormat: Readonly<Record<string, string>> = { tsv: "\t", psv: "|" };

export function linesOf(text: string, from: string, options: Options): string[][] {
  const wanted = delimiters[textOption(options, "delimiter") ?? "auto"] ?? ofFormat[from] ?? "";
  const { data, errors } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ""), {
    delimiter: wanted,
    delimitersToGuess: [",", ";", "\t", "|"],
    skipEmptyLines: true,
  });
  const broken = errors.find(({ type }) => type === "Quotes");
  if (broken !== undefined) throw invalid(`A quotation mark is out of place in row ${(broken.row ?? 0) + 1}.`);
  if (data.length === 0) throw invalid("The table is empty.");
  return data;
}

export function parseTable(text: string, from: string, options: Options, notes: Notes): Table {
  return tableOfTexts(linesOf(text, from, options), options, notes);
}

export function writeTable(value: Value, to: string, options: Options, notes: Notes): string {
  const { columns, rows } = tableOf(value, notes);
  const lines = rows.map((row) => row.map(cellText));
  return textOfLines(options.header === false ? lines : [[...columns], ...lines], to, options);
}

export function textOfLines(lines: readonly string[][], to: string, options: Options): string {
  const delimiter = delimiters[textOption(options, "outputDelimiter") ?? ""] ?? ofFormat[to] ?? ",";
  // A lone empty cell would be an empty line, which readers skip.
  const text = Papa.unparse([...lines], { delimiter, newline: "\r\n", quotes: (cell: unknown) => cell === "" && lines[0]?.length === 1 });
  return `${options.bom === true ? "\uFEFF" : ""}${text}\r\n`;
}
