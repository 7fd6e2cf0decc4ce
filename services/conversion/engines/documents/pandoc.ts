/** Markup, wikis, notebooks and e-books by pandoc: a fresh process per document, which starts instantly. */
import { basename, join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type HopTask } from "#services/conversion/domain/engine.ts";
import { LacksContent } from "#services/conversion/domain/failure.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { askForFile } from "../shared/ask-inspector.ts";
import { failureOf } from "../shared/bad-input.ts";
import { flagOption, numberOption, stringOption } from "../shared/hop-table.ts";
import { tellOwn } from "../shared/node-worker.ts";
import { plainTableOf } from "../shared/plain-table.ts";
import { inputInside, openToolSession, probeOf } from "../shared/tool-run.ts";
import { filtersFirst, markups, needsDataFiles, pandocFilter, pandocFilters, pandocHops, readsChanges } from "./pandoc-hops.ts";
import { unreadIn } from "./pandoc-log.ts";

const program = "/usr/bin/pandoc";
const writer = "/engine/writer.lua";
/** What is read before the document: macros, and that Org is to show the dates of tasks, and times spent. */
const before: Readonly<Record<string, string>> = { tex: "/engine/macros.tex", org: "/engine/options.org" };
const filters = {
  ...pandocFilters,
  [join(import.meta.dirname, "pandoc-writer.lua")]: writer,
  ...Object.fromEntries(Object.values(before).map((path) => [join(import.meta.dirname, `pandoc-${basename(path)}`), path])),
};
/** Pandoc's native JSON of a document. */
const tree = "/job/document.json";
/** Pandoc's own exit codes. @see https://pandoc.org/MANUAL.html#exit-codes */
const utf8Error = 92;
const badInput = [
  ...[44, 64, 65, 91, 93],
  /couldn't unpack docx container|Codec\.Compression|central directory|invalid byte sequence|Cannot decode byte/,
];
const heapExhausted = 251;
/** Included files never exist. */
const missingFile = 99;

/** A one-byte character may become three bytes. */
const maxDecodedBytes = 400_000_000;

/**
 * A small nursery, because faulting in memory costs more than collecting garbage,
 * and an old generation large enough that most runs end before its first collection.
 */
const heap = ["+RTS", "-M512m", "-A4m", "-O64m", "-RTS"];

const changesOf = ({ hop, options }: HopTask): string[] =>
  hop.from === "docx" ? [`--track-changes=${stringOption(options, "changes") ?? "accept"}`] : [];

const dialectOf = ({ options }: HopTask): string => (options.dialect === "commonmark" ? "commonmark" : (markups.md?.writer ?? "gfm"));

/** `source`: where the filter finds embedded pictures. */
type Properties = Partial<Answer<"readableDocx">["properties"]> & { readonly source?: string };

function argumentsOf(task: HopTask, input: string, properties: Properties = {}): string[] {
  const { from, to } = task.hop;
  const reader = markups[from]?.reader;
  const target = markups[to]?.writer;
  if (reader === undefined || target === undefined) throw new FilemillError("INTERNAL", "Pandoc has no such pair.");
  const { options } = task;
  const highlight = stringOption(options, "highlight");
  const isMarkdown = to === "md";
  return [
    ...heap,
    // The log tells what is not read (see pandoc-log.ts).
    ...["--sandbox", "--verbose", "--preserve-tabs"],
    // Authors of TeX write its commands in Markdown.
    ...["-f", to === "tex" ? reader.replace("-raw_tex", "") : reader, ...changesOf(task)],
    ...["-t", isMarkdown ? dialectOf(task) : target],
    ...filtersFirst(from).map((filter) => `--lua-filter=${filter}`),
    `--lua-filter=${pandocFilter}`,
    ...(needsDataFiles.has(to) ? [`--lua-filter=${writer}`] : []),
    ...(isMarkdown && options.pictures === "describe" ? ["-M", "filemill-pictures=describe"] : []),
    ...(from === "html" ? ["-M", "filemill-web=true"] : []),
    // Ours left out what is hidden, and kept the notes that readers show.
    ...(from === "html" || from === "epub" ? ["-M", "filemill-seen=true"] : []),
    ...Object.entries(properties).flatMap(([name, value]) => (value === "" ? [] : ["-M", `filemill-${name}=${value}`])),
    ...(options.standalone === false || to === "json" ? [] : ["--standalone"]),
    ...(flagOption(options, "toc") ? ["--toc", `--toc-depth=${numberOption(options, "tocDepth") ?? 3}`] : []),
    ...(flagOption(options, "numberSections") ? ["--number-sections"] : []),
    ...(highlight === undefined ? [] : highlight === "none" ? ["--no-highlight"] : [`--highlight-style=${highlight}`]),
    ...(options.wrap === undefined ? [] : [`--wrap=${options.wrap}`, `--columns=${numberOption(options, "columns") ?? 72}`]),
    // MathML needs nothing from the web; the default would be plain text.
    ...(to === "html" || to === "epub" ? ["--mathml"] : []),
    ...["-o", to === "json" ? tree : "/job/out", ...(before[from] === undefined ? [] : [before[from]]), input],
  ];
}

async function run({ sandbox, inspector }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const pandoc = (args: readonly string[]) => session.run({ program, args, readOnly: filters, limits: { addressSpace: false } });
  const asked = { signal: task.signal, maxBytes: maxDecodedBytes, more: { isPage: task.hop.from === "html" } };
  const { isReadable, linkedPictures = 0, properties, ...read } = await writeReadable(inspector, task, session.pathOf("readable"), asked);
  let { unread } = read;
  const isTable = task.hop.from === "csv";
  if (isTable) await writeTable(inspector, task, session.pathOf("table"));
  let end = await pandoc(argumentsOf(task, isReadable ? "/job/readable" : isTable ? "/job/table" : inputInside, properties));
  const isText = !isTable && markups[task.hop.from]?.isBinary !== true;
  const isForeign = isText && (end.exitCode === utf8Error || /falling back to latin1/.test(end.stderr));
  if (isForeign || (isText && /^filemill:zeros$/m.test(end.stdout))) {
    const { guess, left } = await askForFile(inspector, "decodedText", [task.input.path], session.pathOf("text"), asked);
    if (isForeign && guess !== undefined) task.note("ENCODING_GUESSED", `The text encoding was guessed to be ${guess}.`);
    // With a guess, zeros do not mean UTF-16, and Pandoc's first result stands.
    if (isForeign || guess === undefined) end = await pandoc(argumentsOf(task, "/job/text", properties));
    unread = left;
  }
  noteRemoved(task, end, linkedPictures);
  noteUnread(task, end, unread);
  throwIfFailed(task, end);
  // Pandoc's JSON becomes that of documents (see inside/document/main.ts).
  if (task.hop.to === "json") await tellOwn(session, task.note, "document/main.ts", [tree, "/job/out"]);
  await session.adopt("out").catch((error: unknown) => {
    // Pandoc succeeded but wrote nothing.
    throw error instanceof FilemillError && error.code === "CONVERSION_FAILED"
      ? new LacksContent("The document has no text in its body.")
      : error;
  });
}

/** Pandoc splits only at commas and drops cells beyond the columns of the first row. */
async function writeTable(inspector: EngineHost["inspector"], task: HopTask, made: string): Promise<void> {
  const { hasBlanks } = await plainTableOf(inspector, task, made);
  if (hasBlanks) task.note("CHARACTERS_REPLACED", "Repeated spaces or line breaks in a cell became one space.");
}

/** What makes a document readable for pandoc, without notes. */
const simplified: Readonly<Record<string, "readableHtml" | "readableEpub" | "readableMarkdown">> = {
  html: "readableHtml",
  epub: "readableEpub",
  md: "readableMarkdown",
};

type Read = {
  readonly isReadable: boolean;
  readonly unread: readonly string[];
  readonly linkedPictures?: number;
  readonly properties?: Properties;
};

/** Whether a document was written that pandoc reads better, and what it leaves out. Notes comments of a DOCX, and what becomes of tracked changes. */
async function writeReadable(
  inspector: EngineHost["inspector"],
  task: HopTask,
  made: string,
  asked: { readonly signal: AbortSignal; readonly maxBytes: number },
): Promise<Read> {
  const simple = simplified[task.hop.from];
  if (simple !== undefined) {
    const { isRewritten, ...more } = await askForFile(inspector, simple, [task.input.path], made, asked);
    const linkedPictures = "linkedPictures" in more ? more.linkedPictures : 0;
    const properties = "hasEmbedded" in more && more.hasEmbedded ? { source: inputInside } : {};
    return { isReadable: isRewritten, unread: "left" in more ? more.left : [], linkedPictures, properties };
  }
  if (task.hop.from !== "docx") return { isReadable: false, unread: [] };
  const {
    isRewritten,
    comments,
    linkedPictures,
    hasChanges,
    properties,
    left: unread,
  } = await askForFile(inspector, "readableDocx", [task.input.path], made, asked);
  const changes = stringOption(task.options, "changes") ?? "accept";
  const left = [
    ...(hasChanges ? [`tracked changes were ${changes}ed`] : []),
    ...(comments > 0 ? [comments === 1 ? "one comment was left out" : `${comments} comments were left out`] : []),
  ].join(" and ");
  const end = readsChanges(task.hop.from, task.hop.to) ? "; `changes=all` keeps them." : ".";
  if (changes !== "all" && left !== "") task.note("METADATA_DROPPED", `${left.slice(0, 1).toUpperCase()}${left.slice(1)}${end}`);
  return { isReadable: isRewritten, unread, linkedPictures, properties };
}

function noteUnread(task: HopTask, end: SandboxEnd, unread: readonly string[]): void {
  const all = [...unread, ...unreadIn(end, task.hop.from)];
  if (all.length > 0) task.note("TEXT_LEFT_OUT", all.join(" "));
}

function noteRemoved(task: HopTask, end: SandboxEnd, linkedPictures: number): void {
  const removed = linkedPictures + Number(/^filemill:images-removed=(\d+)$/m.exec(end.stdout)?.[1] ?? 0);
  if (removed > 0) task.note("IMAGES_REMOVED", removed === 1 ? "One picture was left out." : `${removed} pictures were left out.`);
}

function throwIfFailed(task: HopTask, end: SandboxEnd): void {
  if (end.exitCode === heapExhausted || /heap exhausted/i.test(end.stderr)) {
    throw new FilemillError("INPUT_TOO_COMPLEX", "The document needs more memory than a conversion is allowed to use.");
  }
  if (end.exitCode === missingFile) {
    throw new FilemillError("INVALID_INPUT", "The document includes other files; put their content into it and try again.");
  }
  if (task.hop.from === "man" && /^\[INFO\] Skipped '\.Sh'/m.test(end.stderr)) {
    throw new FilemillError(
      "INVALID_INPUT",
      "The page is written with the macros of mdoc (BSD), which cannot be read; only those of man can.",
    );
  }
  if (/UnresolvedEntityException/.test(end.stderr)) {
    const message = "The document uses entities that no reader knows here; replace them by their text and try again.";
    throw new FilemillError("INVALID_INPUT", message);
  }
  if (end.exitCode !== 0) {
    // An OpenDocument without styles is valid, but pandoc rejects it; another engine does not.
    const isPandocs = /Could not find styles\.xml/.test(end.stderr);
    if (isPandocs) throw new FilemillError("CONVERSION_FAILED", "The document lacks a part that this conversion needs.");
    throw failureOf(end, badInput, `The document is damaged or is not ${task.hop.from.toUpperCase()}.`);
  }
}

export const pandocEngine = defineEngine({
  id: "pandoc",
  label: "Pandoc",
  lane: "document",
  packages: ["pandoc"],
  hops: pandocHops,
  badInput,
  probe: probeOf(program, ["--version"], /^pandoc\S* (\d[\d.]*)/),
  run,
});
