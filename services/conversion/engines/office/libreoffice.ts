/** Office documents by warm LibreOffice processes, driven over UNO from inside their sandboxes. */
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { FilemillError, invalidOption } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type HopTask } from "#services/conversion/domain/engine.ts";
import { EngineFault } from "#services/conversion/domain/failure.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import { askForFile } from "../shared/ask-inspector.ts";
import { flagOption, numberOption, stringOption } from "../shared/hop-table.ts";
import { withPlainTable } from "../shared/plain-table.ts";
import { openOutput, probeMs } from "../shared/tool-run.ts";
import { type Answer, noteAnswer, parseAnswer } from "./libreoffice-answer.ts";
import {
  isExcels,
  isOpenSheet,
  isPdf,
  keepsResults,
  losesTabs,
  mostCharacters,
  mostOf,
  officeFormats,
  papers,
  roundsNumbers,
} from "./libreoffice-formats.ts";
import { familyOf, libreofficeHops } from "./libreoffice-hops.ts";
import { type OfficeJob, type OfficePool, openOfficePool, pythonPath } from "./libreoffice-pool.ts";

const separators: Readonly<Record<string, string>> = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" };
/** Folder of the main part. @see ECMA-376 part 2, open packaging conventions */
const parts: readonly (readonly [formats: RegExp, folder: string])[] = [
  [/^(docx|docm|dotx)$/, "word/"],
  [/^(xlsx|xlsm|xltx)$/, "xl/"],
  [/^(pptx|ppsx|potx|pptm|potm|ppsm)$/, "ppt/"],
];
/** Text formats whose fields programs compute anew, such as today's date. */
const hasFields = /^(?:docx?|docm|dotx?|docx2003|odt|ott|fodt|rtf|sxw|stw|uot)$/;

function jobOf(task: HopTask): OfficeJob {
  const { from, to } = task.hop;
  const family = familyOf(from, to);
  const source = family === undefined ? undefined : officeFormats[family][from];
  const target = family === undefined ? undefined : officeFormats[family][to];
  if (source === undefined || target?.export === undefined) throw new FilemillError("INTERNAL", "LibreOffice has no such pair.");
  const sheet = stringOption(task.options, "sheet");
  const part = parts.find(([formats]) => formats.test(from))?.[1];
  return {
    importFilters: source.import,
    exportFilter: target.export,
    ...(target.options === undefined ? {} : { exportOptions: target.options }),
    ...(isTextTable(to) ? { separator: separatorOf(task), quotesText: flagOption(task.options, "quoteText") } : {}),
    ...(part === undefined ? {} : { part }),
    ...(/^(f?od[tpg]|ot[tpg])$/.test(from) ? { storesFields: true } : {}),
    ...textOf(task),
    ...(sheet === undefined ? {} : { sheet }),
    ...layoutOf(task),
    ...(isPdf(to) ? { filterData: pdfDataOf(task) } : {}),
    ...(family === "sheet" ? bookOf(from, to) : {}),
    ...(family === "text" ? { fields: hasFields.test(to) ? "live" : "fixed" } : {}),
    ...(family === "slides" && (to === "html" || to === "json") ? { slides: to } : {}),
  };
}

function separatorOf({ hop, options }: HopTask): string {
  return hop.to === "tsv" ? "\t" : (separators[stringOption(options, "outputDelimiter") ?? "comma"] ?? ",");
}

/**
 * What the worker checks in a workbook: limits of the target, numbers that it
 * rounds, dates and booleans that Excel stores differently, dates from Numbers.
 */
function bookOf(from: string, to: string): OfficeJob {
  return {
    most: mostOf(to),
    rounds: roundsNumbers(from, to),
    ...(/^(dif|slk)$/.test(to) && !isTextTable(from) ? { plainImport: tableImport } : {}),
    fromExcel: isExcels(from),
    toExcel: isExcels(to),
    ...(isOpenSheet(from) ? { openDocument: true } : {}),
    ...(/^(csv|tsv|dif|numbers)$/.test(from) ? {} : { hasResults: keepsResults(from, to) ? "kept" : "computed" }),
    ...(losesTabs(from, to) ? { losesTabs: true } : {}),
    ...(from === "numbers" ? { wholeDays: true } : {}),
  };
}

/** The requested page layout. */
function layoutOf({ options }: HopTask): OfficeJob {
  const { landscape } = options;
  const paper = papers[stringOption(options, "pageSize") ?? ""];
  const margin = numberOption(options, "margin");
  return {
    ...(typeof landscape === "boolean" ? { landscape } : {}),
    ...(paper === undefined ? {} : { paper }),
    ...(margin === undefined ? {} : { margin: Math.round(margin * 100) }),
    ...(flagOption(options, "fitWidth") ? { fitWidth: true } : {}),
  };
}

/** Comma, quote, UTF-8, first row, formats, US English; quoted cells are text; no special numbers, no formulas. */
const tableImport = "44,34,76,1,{formats},1033,true,false,false,false,false,0,false";

/** How text is read. Tables come from {@link withPlainTable}; the worker rewrites other text as UTF-8. */
function textOf({ hop, options }: HopTask): OfficeJob {
  if (isTextTable(hop.from)) return { importOptions: tableImport.replace("{formats}", "") };
  return hop.from === "txt" ? { text: { encoding: stringOption(options, "encoding") ?? "auto" } } : {};
}

const isTextTable = (format: string) => format === "csv" || format === "tsv";

/** Of PDF/A, or 0 for plain PDF. */
function partOf({ hop, options }: HopTask): number {
  if (hop.to === "pdfa") return Number(stringOption(options, "part") ?? "2");
  return Number(/^pdfa-([123])$/.exec(stringOption(options, "pdfVersion") ?? "")?.[1] ?? "0");
}

/** @see https://wiki.documentfoundation.org/Macros/Python_Guide/PDF_export_filter_data */
function pdfDataOf(task: HopTask): OfficeJob {
  const pages = stringOption(task.options, "pages");
  const dpi = stringOption(task.options, "imageDpi");
  return {
    Quality: numberOption(task.options, "imageQuality") ?? 90,
    // Keeps headings, lists and tables, for screen readers and further conversion.
    UseTaggedPDF: true,
    // Otherwise a link to a file beside the document points to our folder.
    ExportLinksRelativeFsys: true,
    SelectPdfVersion: partOf(task),
    ...(pages === undefined ? {} : { PageRange: pages }),
    ...(dpi === undefined ? {} : { ReduceImageResolution: true, MaxImageResolution: Number(dpi) }),
  };
}

function tooLarge(to: string): FilemillError {
  const [rows, columns] = mostOf(to);
  const other = to === "dbf" || rows < 2 ** 20 ? "xlsx" : "csv or parquet";
  const characters = to === "dbf" ? "254 bytes" : `${mostCharacters} characters`;
  const most = `A table in this format has at most ${rows} rows, ${columns} columns and ${characters} in a cell`;
  return new FilemillError("INPUT_TOO_COMPLEX", `${most}; ${other} allows more.`);
}

function failureOf(answer: Answer, task: HopTask): FilemillError {
  const format = task.hop.from.toUpperCase();
  switch (answer.reason) {
    case "password":
      return new FilemillError("PASSWORD_REQUIRED", "The document is protected by a password.");
    case "sheet": {
      const total = answer.sheets.length;
      const message = `The document has ${total === 1 ? "one sheet" : `${total} sheets`}.`;
      return invalidOption("sheet", message, answer.sheets.slice(0, 100));
    }
    case "large":
      return tooLarge(task.hop.to);
    case "broken":
      return new EngineFault("unexplained", "an exception while loading");
    case "load":
      return new FilemillError("INVALID_INPUT", `The document is damaged, empty or of an unsupported version of ${format}.`);
    default:
      return new FilemillError("CONVERSION_FAILED", "The document could not be written in this format.");
  }
}

/** Guesses the code page of text that is not Unicode and declares no encoding. */
async function guessedEncodingOf(inspector: Inspector, task: HopTask, { text }: OfficeJob): Promise<string | undefined> {
  const isPage = task.hop.from === "html";
  if (!isPage && (!isTextJob(text) || text.encoding !== "auto")) return undefined;
  return (await inspector.ask("textEncoding", [task.input.path], { more: { isPage }, signal: task.signal })).guess;
}

function isTextJob(text: unknown): text is { readonly encoding: string } {
  return typeof text === "object" && text !== null && "encoding" in text;
}

/** The job with its input's encoding, if the office needs it, and the encoding's name if it is a guess. */
async function withEncoding(inspector: Inspector, task: HopTask, job: OfficeJob): Promise<{ job: OfficeJob; guess: string | undefined }> {
  const guess = await guessedEncodingOf(inspector, task, job);
  if (guess === undefined) return { job, guess };
  const told = task.hop.from === "html" ? { htmlEncoding: guess } : { text: { ...(isTextJob(job.text) ? job.text : {}), encoding: guess } };
  return { job: { ...job, ...told }, guess };
}

async function run(host: EngineHost, pool: OfficePool, task: HopTask): Promise<void> {
  task.signal.throwIfAborted();
  if (task.hop.from === "dxf") return await convertDrawing(host, pool, task);
  if (!isTextTable(task.hop.from)) return await convert(pool, host.inspector, task);
  await withPlainTable(host, task, async (plain, { rows, columns, longestCell, hasControls }) => {
    const [mostRows, mostColumns] = mostOf(task.hop.to);
    if (rows > mostRows || columns > mostColumns || longestCell > mostCharacters) throw tooLarge(task.hop.to);
    if (hasControls) task.note("CHARACTERS_REPLACED", "Line breaks in cells were normalised, and control characters were left out.");
    await convert(pool, host.inspector, plain);
  });
}

async function noteUndrawn(inspector: Inspector, path: string, { note, signal }: HopTask): Promise<void> {
  const { left, draws } = await inspector.ask("undrawnObjects", [path], { signal });
  if (left.length === 0) return;
  const named = `kinds that this conversion does not draw: ${left.join(", ")}.`;
  if (!draws) throw new FilemillError("CONVERSION_FAILED", `The drawing has only objects of ${named}`);
  note("DRAWINGS_LEFT_OUT", `Left out: objects of ${named}`);
}

/** Curves become many points. */
const mostAdded = 100_000_000;

async function convertDrawing({ sandbox, inspector }: EngineHost, pool: OfficePool, task: HopTask): Promise<void> {
  await using scratch = await sandbox.openScratch();
  const path = join(scratch.path, "drawing");
  const maxBytes = task.input.sizeBytes + mostAdded;
  await askForFile(inspector, "placedDxf", [task.input.path], path, { signal: task.signal, maxBytes });
  await noteUndrawn(inspector, path, task);
  await convert(pool, inspector, { ...task, input: { ...task.input, path } });
}

async function convert(pool: OfficePool, inspector: Inspector, task: HopTask): Promise<void> {
  const { job, guess } = await withEncoding(inspector, task, jobOf(task));
  await pool.convert(task.input.path, job, task, async (value, outputPath) => {
    const answer = parseAnswer(value);
    if (!answer.ok) throw failureOf(answer, task);
    // Copied through the open descriptor: the office that wrote the file is still running and could change it or replace its path.
    const output = await openOutput(outputPath);
    const result = createWriteStream(task.outputPath, { flags: "wx" });
    if (flagOption(task.options, "bom")) result.write("\ufeff");
    await pipeline(output.createReadStream({ highWaterMark: 2 ** 20 }), result);
    noteAnswer(task, answer);
    if (guess !== undefined) task.note("ENCODING_GUESSED", `The text encoding was guessed to be ${guess}.`);
    else if (answer.encodingGuessed) task.note("ENCODING_GUESSED");
  });
}

async function sheetsOf(pool: OfficePool, task: HopTask): Promise<readonly string[]> {
  return await pool.convert(task.input.path, { ...jobOf(task), parts: true }, task, async (value) => {
    const answer = parseAnswer(value);
    if (!answer.ok) throw failureOf(answer, task);
    return answer.sheets;
  });
}

export const libreofficeEngine = defineEngine({
  id: "libreoffice",
  label: "LibreOffice",
  lane: "office",
  packages: [
    "libreoffice-writer-nogui",
    "libreoffice-calc-nogui",
    "libreoffice-impress-nogui",
    "libreoffice-draw-nogui",
    "libreoffice-math-nogui",
    "libreoffice-base-drivers",
    "python3-uno",
  ],
  hops: libreofficeHops,
  badInput: [],
  async probe(sandbox) {
    // Starting the office takes seconds, so this imports the bridge and reads the version from its files.
    const script =
      "import uno, os; os.stat('/usr/lib/libreoffice/program/soffice.bin'); print(open('/usr/lib/libreoffice/program/bootstraprc').read())";
    const end = await sandbox.run({
      program: "/usr/bin/python3",
      args: ["-S", "-c", script],
      env: pythonPath,
      limits: { wallMs: probeMs },
    });
    return end.exitCode === 0 ? /^ProductKey=\S+ (\S+)/m.exec(end.stdout)?.[1] : undefined;
  },
  async open(host) {
    const pool = openOfficePool(host);
    return {
      run: (task) => run(host, pool, task),
      parts: (task) => sheetsOf(pool, task),
      [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
    };
  },
});
