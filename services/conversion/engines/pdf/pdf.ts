/**
 * PDF to a web page with headings, lists, tables, code and pictures, by pdf.js in a sandboxed worker; other documents are made from that.
 */

import { rm } from "node:fs/promises";
import {
  defineEngine,
  type EngineHost,
  type Hop,
  type HopTask,
  type OpenEngine,
  type OptionDefinition,
} from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import { LacksContent } from "#services/conversion/domain/failure.ts";
import type { NoteCode } from "#services/conversion/domain/notes.ts";
import { pagesWanted } from "../inside/pages-wanted.ts";
import { words } from "../shared/hop-table.ts";
import { openWorker, probeWorker } from "../shared/node-worker.ts";
import { integerIn, oneOf, pagesOption } from "../shared/options.ts";
import { openToolSession, stepFile } from "../shared/tool-run.ts";
import { drawingsOf } from "./pdf-drawings.ts";
import { readingOptions, recogniseOr, wordsFor } from "./pdf-recognition.ts";
import { guessedFonts } from "./poppler-pages.ts";

const worker = { work: "pdf", packages: words("pdfjs-dist docx @e965/xlsx papaparse json5 jsonc-parser chardet") };

const options: readonly OptionDefinition[] = [pagesOption("Pages to convert"), ...readingOptions];

const table = integerIn("table", [1, 10_000], "Number of the table, from 1", { default: 1 });

const content = oneOf(
  "content",
  ["document", "tables"],
  "All blocks in reading order with their pages and boxes, or only the tables",
  "document",
);

const layout = oneOf("layout", ["flow", "exact"], "Flowing text that can be edited, or each line in its place on the page", "flow");

const hop = { from: "pdf", cost: 60, maxInputMb: 100 } as const;
const ofReading = expectingAll("TEXT_RECOGNISED", "TEXT_NOT_RECOGNISED");
const ofPages = [
  ...expectingAll("DRAWINGS_LEFT_OUT", "PAGES_EMPTY"),
  expecting("TEXT_LEFT_OUT", "Comments and text in hidden layers are left out."),
  expecting("STRUCTURE_DROPPED", "Attached files are left out."),
];
const heads = expecting("ENTRIES_LEFT_OUT", "Page numbers and repeated running heads are left out, or what the tags call decoration.");
const besideTables = expecting("ENTRIES_LEFT_OUT", "Only tables are converted.");

const hops: readonly Hop[] = [
  { ...hop, to: "html", fidelity: "reduced", options, expects: [...ofReading, ...ofPages, heads] },
  { ...hop, to: "docx", cost: 90, fidelity: "reduced", options: [...options, layout], expects: [...ofReading, ...ofPages, heads] },
  {
    ...hop,
    to: "csv",
    fidelity: "extract",
    options: [...options, table],
    expects: [...ofReading, besideTables, expecting("SHEETS_LEFT_OUT", "Only one of several tables is converted.")],
  },
  { ...hop, to: "xlsx", fidelity: "extract", options, expects: [...ofReading, besideTables] },
  {
    ...hop,
    to: "json",
    fidelity: "reduced",
    options: [...options, content],
    expects: [
      ...ofReading,
      ...ofPages,
      expecting(
        "ENTRIES_LEFT_OUT",
        "Page numbers and repeated running heads are left out, or what the tags call decoration; with `content=tables`, all but the tables.",
      ),
      expecting("IMAGES_REMOVED", "For pictures, only positions and descriptions are given."),
    ],
  },
];

type Notes = Map<NoteCode, string | undefined>;

type Host = Pick<EngineHost, "sandbox">;

/** The worker reports pages without text; only then another program recognises it. */
async function run(host: Host, reader: OpenEngine, task: HopTask): Promise<void> {
  const first = await read(reader, task);
  if (!(first instanceof LacksContent) && !first.has("TEXT_NOT_RECOGNISED")) return noteAll(task, first);
  await using searchable = stepFile(task, "searchable");
  const found = await recogniseOr(host.sandbox, task, {
    ...{ wanted: pagesWanted(task.options.pages), path: searchable.path },
    ...{ isForText: task.options.layout !== "exact", isNeeded: first instanceof LacksContent },
  });
  if (found === undefined || found.pages.length === 0) {
    if (!(first instanceof LacksContent)) return noteAll(task, first);
    // No text could be recognised: the pages stay pictures.
    return noteAll(task, whole(await read(reader, { ...task, options: { ...task.options, ocr: "never" } })));
  }
  await rm(task.outputPath, { force: true });
  const second = whole(await read(reader, { ...task, input: await searchable.as("pdf") }));
  task.note("TEXT_RECOGNISED", wordsFor(found));
  noteAll(task, second);
}

async function runNoting(host: Host, reader: OpenEngine, task: HopTask): Promise<void> {
  await run(host, reader, task);
  await using session = await openToolSession(host.sandbox, task);
  const guessed = await guessedFonts(session);
  if (guessed !== undefined) task.note("TEXT_NOT_RECOGNISED", guessed);
}

function whole(read: Notes | LacksContent): Notes {
  if (read instanceof LacksContent) throw read;
  return read;
}

/** The worker's notes, or the reason why there is no result. */
async function read(reader: OpenEngine, task: HopTask): Promise<Notes | LacksContent> {
  const notes: Notes = new Map();
  try {
    await reader.run({ ...task, note: (code, message) => void notes.set(code, message) });
    return notes;
  } catch (error) {
    if (error instanceof LacksContent) return error;
    throw error;
  }
}

function noteAll(task: HopTask, notes: Notes): void {
  for (const [code, message] of notes) task.note(code, message);
}

export const pdfEngine = defineEngine({
  id: "pdf",
  label: "Filemill PDF",
  lane: "document",
  packages: ["tesseract-ocr", "poppler-utils", "qpdf", "ghostscript", "mupdf-tools"],
  hops,
  badInput: [],
  probe: (sandbox) => probeWorker(sandbox, worker),
  async open(host) {
    const reader = await openWorker(host, worker, (task, wanted) => drawingsOf(host, task, wanted));
    return { run: (task) => runNoting(host, reader, task), [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose]() };
  },
});
