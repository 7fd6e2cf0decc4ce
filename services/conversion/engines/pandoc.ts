/** Markup, wikis, notebooks and e-books by pandoc: a fresh process for each document, which starts in a blink. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FilemillError } from "#kit/errors.ts";
import { defineEngine, type HopTask } from "../domain/engine.ts";
import { LacksContent } from "../domain/failure.ts";
import type { Sandbox, SandboxEnd } from "../domain/sandbox.ts";
import { flagOption, numberOption, stringOption } from "./hop-table.ts";
import { guessEncoding } from "./inside/guess-encoding.ts";
import { markups, needsDataFiles, pandocHops } from "./pandoc-hops.ts";
import { decodeCodePages, namesCodePage } from "./rtf-code-pages.ts";
import { inputInside, openToolSession, versionLineOf } from "./tool-run.ts";

const program = "/usr/bin/pandoc";
const filterInside = "/engine/filter.lua";
const filter = join(import.meta.dirname, "pandoc-filter.lua");
/** Pandoc's own exit codes. @see https://pandoc.org/MANUAL.html#exit-codes */
const utf8Error = 92;
const readErrors = new Set([1, 63, 64, 65, 66, 93]);
const heapExhausted = 251;
/** What a document wants to include is never there. */
const missingFile = 99;

const heap = ["+RTS", "-M512m", "-RTS"];

/**
 * The first of two runs where the writer needs its data files and so cannot have `--sandbox`: such a writer fetches pictures
 * before a filter sees them, and one that is missing ends it. The reader keeps `--sandbox`, and hands pictures on inside.
 */
function readerArgumentsOf(task: HopTask, input: string): string[] {
  const reader = markups[task.hop.from]?.reader ?? "";
  return [...heap, "--sandbox", "-f", reader, "-t", "json", `--lua-filter=${filterInside}`, "-o", "/job/document.json", input];
}

function argumentsOf(task: HopTask, input: string): string[] {
  const { from, to } = task.hop;
  const reader = markups[from]?.reader;
  const writer = markups[to]?.writer;
  if (reader === undefined || writer === undefined) throw new FilemillError("INTERNAL", "Pandoc has no such pair.");
  const { options } = task;
  const highlight = stringOption(options, "highlight");
  return [
    ...heap,
    ...(needsDataFiles.has(to) ? ["-f", "json"] : ["--sandbox", "-f", reader]),
    ...["-t", writer, `--lua-filter=${filterInside}`],
    ...(options.standalone === false ? [] : ["--standalone"]),
    ...(flagOption(options, "toc") ? ["--toc", `--toc-depth=${numberOption(options, "tocDepth") ?? 3}`] : []),
    ...(flagOption(options, "numberSections") ? ["--number-sections"] : []),
    ...(highlight === undefined ? [] : highlight === "none" ? ["--no-highlight"] : [`--highlight-style=${highlight}`]),
    ...(options.wrap === undefined ? [] : [`--wrap=${options.wrap}`, `--columns=${numberOption(options, "columns") ?? 72}`]),
    // Formulas as MathML need nothing from the web; the default would be plain text.
    ...(to === "html" || to === "epub" ? ["--mathml"] : []),
    ...["-o", "/job/out", input],
  ];
}

async function run(sandbox: Sandbox, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const pandoc = (args: readonly string[]) =>
    session.run({ program, args, readOnly: { [filter]: filterInside }, limits: { addressSpace: false } });
  const isTwoStep = needsDataFiles.has(task.hop.to);
  const firstArgsOf = isTwoStep ? readerArgumentsOf : argumentsOf;
  const isRecoded = task.hop.from === "rtf" && (await recodeRtf(task.input.path, session.pathOf("rtf")));
  let end = await pandoc(firstArgsOf(task, isRecoded ? "/job/rtf" : inputInside));
  if ((end.exitCode === utf8Error || /falling back to latin1/.test(end.stderr)) && markups[task.hop.from]?.isBinary !== true) {
    const decoded = decode(await readFile(task.input.path));
    if (decoded.guess !== undefined) task.note("ENCODING_GUESSED", `The text's encoding was guessed to be ${decoded.guess}.`);
    await writeFile(session.pathOf("text"), decoded.text, { flag: "wx", mode: 0o644 });
    end = await pandoc(firstArgsOf(task, "/job/text"));
  }
  noteRemoved(task, end);
  throwIfFailed(task, end);
  if (isTwoStep) throwIfFailed(task, await pandoc(argumentsOf(task, "/job/document.json")));
  await session.adopt("out").catch((error: unknown) => {
    // Pandoc ended well and wrote nothing.
    throw error instanceof FilemillError && error.code === "CONVERSION_FAILED" ? new LacksContent("The document holds no text.") : error;
  });
}

/** Pandoc takes every byte of an RTF for Windows-1252. False: there is nothing else in this one, and nothing was written. */
async function recodeRtf(path: string, made: string): Promise<boolean> {
  const bytes = await readFile(path);
  if (!namesCodePage(bytes)) return false;
  await writeFile(made, decodeCodePages(bytes), { flag: "wx", mode: 0o644 });
  return true;
}

function noteRemoved(task: HopTask, end: SandboxEnd): void {
  const removed = Number(/^filemill:images-removed=(\d+)$/m.exec(end.stderr)?.[1] ?? 0);
  if (removed > 0) task.note("IMAGES_REMOVED", removed === 1 ? "One picture was left out." : `${removed} pictures were left out.`);
}

function throwIfFailed(task: HopTask, end: SandboxEnd): void {
  if (end.exitCode === heapExhausted || /heap exhausted/i.test(end.stderr)) {
    throw new FilemillError("INPUT_TOO_COMPLEX", "The document needs more memory than a conversion may use.");
  }
  if (end.exitCode === missingFile) {
    throw new FilemillError("INVALID_INPUT", "The document includes other files; put their content into it and try again.");
  }
  if (end.exitCode !== 0) {
    // OpenDocument may do without styles, which pandoc does not know; another engine does.
    const isPandocs = /Could not find styles\.xml/.test(end.stderr);
    const isUnreadable = end.exitCode !== undefined && readErrors.has(end.exitCode) && !isPandocs;
    if (isUnreadable) throw new FilemillError("INVALID_INPUT", `The document is damaged or is not ${task.hop.from.toUpperCase()}.`);
    throw new FilemillError("CONVERSION_FAILED", "The document could not be written in this format.");
  }
}

/** Text that is not UTF-8: by its byte order mark, by what HTML says of itself, else by a guess. */
function decode(bytes: Buffer): { readonly text: string; readonly guess?: string } {
  const head = bytes.subarray(0, 2048).toString("latin1");
  if (head.startsWith("\xff\xfe")) return { text: new TextDecoder("utf-16le").decode(bytes) };
  if (head.startsWith("\xfe\xff")) return { text: new TextDecoder("utf-16be").decode(bytes) };
  const label = /(?:charset|encoding)\s*=\s*["']?([A-Za-z0-9_:-]{2,32})/.exec(head)?.[1];
  const decoder = label === undefined ? undefined : decoderOf(label);
  if (decoder !== undefined && decoder.encoding !== "utf-8") return { text: decoder.decode(bytes) };
  const guess = guessEncoding(bytes);
  return { text: new TextDecoder(guess).decode(bytes), guess };
}

function decoderOf(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

export const pandocEngine = defineEngine({
  id: "pandoc",
  label: "Pandoc",
  lane: "document",
  packages: ["pandoc"],
  hops: pandocHops,
  async probe(sandbox) {
    const line = await versionLineOf(sandbox, program, ["--version"]);
    return line === undefined ? undefined : /^pandoc\S* (\d[\d.]*)/.exec(line)?.[1];
  },
  async open({ sandbox }) {
    return { run: (task) => run(sandbox, task), [Symbol.asyncDispose]: async () => undefined };
  },
});
