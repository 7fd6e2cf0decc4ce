/** PDF to PDF: smaller, searchable, reordered, rotated, stamped, protected. Everything else is preserved, by pikepdf (qpdf). */
import { copyFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FilemillError, invalidOption } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type FileRef, type Hop, type HopTask } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import { EngineFault } from "#services/conversion/domain/failure.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { failureOf, saysBadInput } from "../shared/bad-input.ts";
import { ownHops, stringOption } from "../shared/hop-table.ts";
import { inputInside, openToolSession, type ToolSession, versionLineOf } from "../shared/tool-run.ts";
import { drawFields } from "./pdf-change-appearances.ts";
import { repairPdf, rewritePdf } from "./pdf-change-ghostscript.ts";
import { changeOptions } from "./pdf-change-options.ts";
import { pagesKept, pagesNamed, rangesOf } from "./pdf-change-pages.ts";
import { stampOf } from "./pdf-change-stamp.ts";
import { lostWords, type Survey, surveyOf, unseenWords } from "./pdf-change-survey.ts";
import { recognise, unrecognisedWords, wordsFor } from "./pdf-recognition.ts";

const python = "/usr/bin/python3";
const qpdf = "/usr/bin/qpdf";
const scripts = {
  [join(import.meta.dirname, "pdf-change.py")]: "/engine/pdf-change.py",
  [join(import.meta.dirname, "pdf-change-pictures.py")]: "/engine/pdf_pictures.py",
  [join(import.meta.dirname, "pdf-change-prune.py")]: "/engine/pdf_prune.py",
  [join(import.meta.dirname, "pdf-change-redrawn.py")]: "/engine/pdf_redrawn.py",
  [join(import.meta.dirname, "pdf-change-tags.py")]: "/engine/pdf_tags.py",
};
const badInput = [3];
const damaged = "The PDF is damaged beyond repair, or is not a PDF.";
const unseenText = "The text of comments, and the values of form fields that cannot be drawn, are left out.";

const hops: readonly Hop[] = ownHops(["pdf"], () => ({
  fidelity: "high",
  cost: 300,
  isLong: true,
  maxInputMb: 200,
  options: changeOptions,
  expects: [
    expecting("SOURCE_KEPT", { option: "optimise" }),
    expecting("TEXT_RECOGNISED", { option: "ocr" }),
    expecting("TEXT_NOT_RECOGNISED", { option: "ocr" }),
    expecting("TEXT_LEFT_OUT", { message: unseenText, option: "flatten" }),
    expecting("TEXT_LEFT_OUT", { message: unseenText, option: "nUp" }),
    expecting("STRUCTURE_DROPPED", { option: "nUp" }),
    expecting("STRUCTURE_DROPPED", { option: "grayscale" }),
    expecting("SIGNATURES_VOID"),
    expecting("METADATA_DROPPED", "Restrictions on printing, copying and changing are left out unless `permissions` sets new ones."),
  ],
}));

/** The steps of a change; each reads what the previous one wrote. */
type Work = {
  readonly host: EngineHost;
  readonly task: HopTask;
  /** The task with the current file as its input and the remaining time. */
  now(outputPath?: string): HopTask;
  /** The output replaces the input if `write` succeeds. */
  step(name: string, write: (at: HopTask) => Promise<boolean>): Promise<boolean>;
};

/** Share of a long hop's time: without OCR, anything slower comes from a file made to take long. */
const shareWithoutReading = 0.2;

async function run(host: EngineHost, task: HopTask): Promise<void> {
  const endsAtMs = performance.now() + task.timeoutMs * (task.options.ocr === "auto" ? 1 : shareWithoutReading);
  const temporary: string[] = [];
  let current: FileRef = task.input;
  const now = (outputPath = task.outputPath): HopTask => ({
    ...{ ...task, input: current, outputPath, timeoutMs: Math.max(1, endsAtMs - performance.now()) },
  });
  const work: Work = {
    ...{ host, task, now },
    async step(name, write) {
      const path = `${task.outputPath}.${name}`;
      temporary.push(path);
      if (!(await write(now(path)))) return false;
      current = { path, format: "pdf", sizeBytes: (await stat(path)).size };
      return true;
    },
  };
  try {
    await changeAll(work);
  } finally {
    for (const path of temporary) await rm(path, { force: true });
  }
}

async function changeAll(work: Work): Promise<void> {
  const { host, task, step } = work;
  const { options } = task;
  assertProtection(task);
  const isCounted =
    ["pages", "remove", "rotatePages", "optimise", "nUp"].some((name) => options[name] !== undefined) ||
    options.grayscale === true ||
    options.flatten === true ||
    options.ocr === "auto";
  const first = isCounted ? await surveyed(work) : undefined;
  const mergesFields = options.flatten === true || options.grayscale === true || options.nUp !== undefined;
  if (mergesFields && (first?.fields ?? 0) > 0) await step("drawn", (at) => drawFields(host.sandbox, at));
  const lost = new Set(first === undefined ? [] : await rewritten(work, first));
  const total = first?.pages ?? 0;
  const kept = pagesKept(stringOption(options, "pages"), stringOption(options, "remove"), total);
  const turned = stringOption(options, "rotatePages");
  const rotatePages = turned === undefined ? {} : { rotatePages: [...new Set(pagesNamed("rotatePages", turned, kept?.length ?? total))] };
  if (kept !== undefined) await step("pages", (at) => select(host, at, rangesOf(kept)));
  if (options.ocr === "auto") await step("searchable", (at) => makeSearchable(host, at));
  const { before, after, unseen, damaged } = await repairing(work, (at) =>
    change(host, at, { ...rotatePages, selected: kept !== undefined }),
  );
  for (const word of lostWords(before, after, options.flatten === true)) lost.add(word);
  const isDamaged = damaged || first?.damaged === true;
  if (isOnlySmaller(task) && !isDamaged && (await stat(task.outputPath)).size >= task.input.sizeBytes) return await keepSource(task);
  if (unseen !== "") task.note("TEXT_LEFT_OUT", unseen);
  if (lost.size > 0) task.note("STRUCTURE_DROPPED", `Left out because the pages were redrawn: ${[...lost].join(", ")}.`);
  const isRestricted = before.isRestricted || first?.isRestricted === true;
  if (isRestricted && options.permissions === undefined)
    task.note("METADATA_DROPPED", "The owner's restrictions on printing, copying and changing the PDF were left out.");
  if (Math.max(before.signatures, first?.signatures ?? 0) > 0) task.note("SIGNATURES_VOID");
  if (isDamaged) task.note("INPUT_DAMAGED");
}

/** @throws FilemillError PASSWORD_REQUIRED rather than return an unprotected file. */
function assertProtection({ options, outputPassword }: HopTask): void {
  if (options.protect === true && (outputPassword ?? "") === "") {
    throw new FilemillError("PASSWORD_REQUIRED", "Send the file again, with the password for the result in X-Output-Password.");
  }
  const isEncrypted = options.protect === true || options.permissions !== undefined;
  const version = stringOption(options, "pdfVersion");
  if (isEncrypted && version !== undefined && version < "1.7") {
    throw invalidOption("pdfVersion", "A protected PDF must have version 1.7 or 2.0.", ["1.7", "2.0"]);
  }
}

/** The result of `look`, if necessary after repairing the file. */
async function repairing<T>(
  { host, now, step }: Work,
  look: (at: HopTask) => Promise<T | undefined>,
): Promise<T & { readonly damaged: boolean }> {
  const found = await look(now());
  if (found !== undefined) return { damaged: false, ...found };
  const repaired = (await step("repaired", (at) => repairPdf(host.sandbox, at))) ? await look(now()) : undefined;
  if (repaired === undefined) throw new FilemillError("INVALID_INPUT", damaged);
  return { ...repaired, damaged: true };
}

const surveyed = (work: Work) => repairing(work, (at) => survey(work.host, at));

/** Undefined if the file needs repair. */
async function survey({ sandbox }: EngineHost, task: HopTask): Promise<Survey | undefined> {
  await using session = await openToolSession(sandbox, task);
  const end = await session.run({ program: python, args: ["-I", "/engine/pdf-change.py", "survey", inputInside], readOnly: scripts });
  return isUnread(end) ? undefined : surveyOf(JSON.parse(end.stdout));
}

function isUnread(end: SandboxEnd): boolean {
  if (end.exitCode === 4) throw new FilemillError("PASSWORD_REQUIRED", "The PDF is protected by a password.");
  if (saysBadInput(end, badInput)) return true;
  if (end.exitCode !== 0) throw failureOf(end, badInput, damaged);
  return false;
}

/** Below this, fonts are not worth a pass over the whole document. */
const leastFontBytes = 50_000;

/** Redraws pages with Ghostscript: to grayscale, or to subset fonts if nothing is lost by it. Returns what was lost. */
async function rewritten(work: Work, first: Survey): Promise<readonly string[]> {
  const { host, task, now, step } = work;
  const isGray = task.options.grayscale === true;
  const mayShrink = task.options.optimise !== undefined && first.wholeFonts > leastFontBytes && first.hasOnlyPages;
  if (!isGray && !mayShrink) return [];
  let lost: readonly string[] = [];
  const original = now().input.path;
  const isRewritten = await step("rewritten", async (at) => {
    await rewritePdf(host.sandbox, at, isGray);
    const { size: sizeBytes } = await stat(at.outputPath);
    const after = await survey(host, { ...now(), input: { ...at.input, path: at.outputPath, sizeBytes } });
    if (after === undefined || after.pages !== first.pages) {
      if (!isGray) return false;
      throw new EngineFault("unexplained", "pages are missing");
    }
    lost = lostWords(first, after, false);
    return isGray || (sizeBytes < at.input.sizeBytes && lost.length === 0);
  });
  if (isRewritten) await step("grafted", (at) => graft(host, at, original));
  return isGray ? lost : [];
}

/** Metadata, language and the way it opens, which Ghostscript leaves out. */
async function graft({ sandbox }: EngineHost, task: HopTask, original: string): Promise<boolean> {
  await using session = await openToolSession(sandbox, task);
  const end = await session.run({
    program: python,
    args: ["-I", "/engine/pdf-change.py", "graft", inputInside, "/job/out", "/input/original"],
    readOnly: { ...scripts, [original]: "/input/original" },
  });
  if (isUnread(end)) throw new EngineFault("unexplained", "what Ghostscript wrote cannot be read");
  await session.adopt("out");
  return true;
}

async function select({ sandbox }: EngineHost, task: HopTask, pages: string): Promise<boolean> {
  await using session = await openToolSession(sandbox, task);
  const end = await session.run({ program: qpdf, args: [inputInside, "--pages", ".", pages, "--", "/job/out"] });
  // 3: with warnings.
  if (end.exitCode !== 0 && end.exitCode !== 3) throw failureOf(end, [2], damaged);
  await session.adopt("out");
  return true;
}

async function makeSearchable({ sandbox }: EngineHost, task: HopTask): Promise<boolean> {
  const found = await recognise(sandbox, task, { wanted: () => true, path: task.outputPath, isForText: false });
  if (found === undefined) return false;
  if (found.pages.length > 0) task.note("TEXT_RECOGNISED", wordsFor(found));
  const unrecognised = unrecognisedWords(found);
  if (unrecognised !== "") task.note("TEXT_NOT_RECOGNISED", unrecognised);
  return found.pages.length > 0;
}

type Changed = { readonly before: Survey; readonly after: Survey; readonly unseen: string; readonly damaged: boolean };

/** Undefined if the file needs repair. */
async function change({ sandbox }: EngineHost, task: HopTask, more: Readonly<Record<string, unknown>>): Promise<Changed | undefined> {
  const { options, outputPassword } = task;
  await using session = await openToolSession(sandbox, task);
  const asked = Object.entries(options).filter(([name]) => !ownSteps.has(name));
  const changes: Record<string, unknown> = { ...Object.fromEntries(asked), ...more };
  if (options.optimise !== undefined) changes.pictures = await listPictures(session);
  if (options.stamp !== undefined) changes.stamp = await stampOf(session, task);
  await writeFile(session.pathOf("changes.json"), JSON.stringify(changes), { flag: "wx", mode: 0o644 });
  const end = await session.run({
    program: python,
    args: ["-I", "/engine/pdf-change.py", "change", inputInside, "/job/out", "/job/changes.json"],
    env: options.protect === true ? { PASSWORD: outputPassword ?? "" } : {},
    readOnly: scripts,
  });
  if (isUnread(end)) return undefined;
  await session.adopt("out");
  const said = JSON.parse(end.stdout);
  return { before: surveyOf(said.before), after: surveyOf(said.after), unseen: unseenWords(said.unseen), damaged: said.damaged === true };
}

/** Options that other programs have already handled. */
const ownSteps = new Set(["ocr", "language", "pages", "remove", "grayscale", "protect", "stampPlace"]);

async function listPictures(session: ToolSession): Promise<string> {
  // A truncated list only means less compression.
  await session.run({ program: "/bin/sh", args: ["-c", `pdfimages -list "$1" > /job/pictures.txt`, "sh", inputInside] });
  return "/job/pictures.txt";
}

/** Whether only a smaller size is requested. */
function isOnlySmaller({ hop, options }: HopTask): boolean {
  const changed = hop.options.filter(({ name, default: preset }) => options[name] !== undefined && options[name] !== preset);
  return changed.length === 1 && changed[0]?.name === "optimise";
}

async function keepSource(task: HopTask): Promise<void> {
  await rm(task.outputPath, { force: true });
  await copyFile(task.input.path, task.outputPath);
  task.note("SOURCE_KEPT");
}

export const pdfChangeEngine = defineEngine({
  id: "pdf-change",
  label: "pikepdf (qpdf)",
  lane: "document",
  packages: ["python3-pikepdf", "qpdf", "poppler-utils", "ghostscript", "mupdf-tools", "librsvg2-bin", "tesseract-ocr"],
  badInput,
  hops,
  probe: (sandbox) => versionLineOf(sandbox, python, ["-I", "-c", "import pikepdf, PIL; print(pikepdf.__version__)"]),
  run,
});
