/** E-books by Calibre, all by way of EPUB, which can hold what any of them does. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import {
  defineEngine,
  type EngineHost,
  type Fidelity,
  type Hop,
  type HopTask,
  type OptionDefinition,
} from "#services/conversion/domain/engine.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { askMade } from "../shared/ask-inspector.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { crossHops, firstNames, stringOption, uniqueHops, words } from "../shared/hop-table.ts";
import { matching } from "../shared/options.ts";
import { openToolSession, type ToolCommand } from "../shared/tool-run.ts";

const helpScript = "calibre-help.py";
const helpProgram: Omit<ToolCommand, "env"> = {
  program: "/usr/bin/calibre-debug",
  args: ["-e", `/engine/${helpScript}`, "--"],
  readOnly: { [join(import.meta.dirname, helpScript)]: `/engine/${helpScript}` },
};
const programOf = (from: string): Omit<ToolCommand, "env"> =>
  from === "chm" ? helpProgram : { program: "/usr/bin/ebook-convert", args: [] };

/** Running it just for the version takes half a second of CPU time, so the version is read from its source. */
const versionFiles = ["/usr/lib/calibre/calibre/constants.py", "/usr/lib64/calibre/calibre/constants.py"];

const env = {
  HOME: "/tmp",
  CALIBRE_CONFIG_DIRECTORY: "/tmp/calibre",
  CALIBRE_CACHE_DIRECTORY: "/tmp/cache",
  // Nothing is displayed and no library is kept.
  QT_QPA_PLATFORM: "offscreen",
};
const limits = { addressSpace: false, processes: 128 };

const read = words("mobi azw3 azw prc chm fb2 lit lrf pdb htmlz txtz pmlz rb tcr");
/** Not FictionBook, whose headings, lists, tables and inner links it drops; pandoc writes them. */
const written = words("mobi azw3 htmlz lit lrf pdb pmlz rb tcr txtz");
/** Text without pictures and with hardly any headings. */
const plain = new Set(["tcr", "txtz", "pdb", "rb"]);

const line = "^[^\\x00-\\x1f]{1,200}$";
const options: readonly OptionDefinition[] = [
  matching("title", line, "Title of the book; default: unchanged"),
  matching("author", line, "Authors, separated by &; default: unchanged"),
];

function hopOf(_from: string, to: string): Omit<Hop, "from" | "to"> {
  const fidelity: Fidelity = plain.has(to) ? "reduced" : "high";
  return { fidelity, cost: 2500, maxInputMb: 50, options };
}

const hops: readonly Hop[] = uniqueHops([
  ...crossHops(read, ["epub"], hopOf),
  ...crossHops(["epub"], written, hopOf),
  // The most common formats of e-book shops, in a single step.
  ...crossHops(words("mobi azw3 fb2"), words("mobi azw3"), hopOf),
]);

/** Exceptions of its readers by class name, others by message. */
const badInput = [
  /^[\w.]*(?:BadZipfile|CHMError|MobiError|LitError|LRFException|LRFParseError|RocketBookError|InvalidFile|XMLSyntaxError|struct\.error|zlib\.error|UnicodeDecodeError): /m,
  /^ValueError: (?:Not a ZIP file|Invalid ZIP|This ZIP file is encrypted|\S+ is not a valid EPUB|File \S+ contains an invalid|KF8 does not have)/m,
  /Book type is Unknown|^Syntax Error/m,
  // Compiled help without a start page, or without any page.
  /^AttributeError: 'NoneType' object has no attribute 'lstrip'|^FileNotFoundError: .*_chm2oeb\/\.hhc'/m,
];

/** It leaves out pictures of a FictionBook that it cannot decode. */
function noteDamage(task: HopTask, { stdout, stderr }: SandboxEnd): void {
  const ids = [...`${stdout}\n${stderr}`.matchAll(/^Binary data with id=(.{1,100}) is corrupted/gm)].map(([, id = ""]) => id);
  if (ids.length > 0) task.note("INPUT_DAMAGED", `Pictures are damaged and were left out: ${firstNames(ids, 3)}.`);
}

/** Targets whose properties can be read back. */
const readBack = new Set(words("epub mobi azw3 htmlz txtz"));

/** Names the properties of which a word is nowhere among those of the result. */
async function noteProperties(inspector: EngineHost["inspector"], task: HopTask, made: string): Promise<void> {
  const { from, to } = task.hop;
  if (!readBack.has(to)) return;
  const asked = (format: string) => ({ more: { format }, signal: task.signal });
  const { properties } = await inspector.ask("bookProperties", [task.input.path], asked(from));
  const result = await askMade(inspector, "bookProperties", [made], asked(to));
  const has = new Set(result.properties.flatMap(wordsOf));
  const given: Readonly<Record<string, unknown>> = { title: task.options.title, creator: task.options.author };
  const left = properties
    .filter((each) => given[each.name] === undefined && wordsOf(each).some((word) => !has.has(word)))
    .map(({ name }) => name);
  const named = [...new Set(left)];
  if (named.length > 0) task.note("TEXT_LEFT_OUT", `Properties of the book were left out or shortened: ${named.join(", ")}.`);
}

/** A language may be written without its region or with three letters, and a number of an edition without hyphens. */
function wordsOf({ name, value }: { readonly name: string; readonly value: string }): readonly string[] {
  if (name === "language") return [shortLanguageOf(value)];
  if (name === "identifier") return [value.replace(/[^\dXx]/g, "").slice(-13)];
  return value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Such as `es` for `spa`. */
function shortLanguageOf(value: string): string {
  try {
    return new Intl.Locale(value.replaceAll("_", "-")).language;
  } catch {
    return value.toLowerCase();
  }
}

async function run({ sandbox, inspector }: EngineHost, task: HopTask): Promise<void> {
  const { from, to } = task.hop;
  // Calibre goes by the file extension, which can only be one of ours: never a recipe, which is a program.
  const inside = `/input/in.${from}`;
  await using session = await openToolSession(sandbox, task, inside);
  const [title, author] = [stringOption(task.options, "title"), stringOption(task.options, "author")];
  const program = programOf(from);
  const end = await session.run({
    ...program,
    args: [
      ...program.args,
      ...[inside, `/job/out.${to}`],
      // EPUB 2's schema rejects much that books contain; EPUB 2 readers find their table of contents in an EPUB 3 as well.
      // It would draw a random cover for books without one.
      ...(to === "epub" ? ["--epub-version=3", "--no-default-epub-cover"] : []),
      // In this form, a title like `--x` is not taken for an option.
      ...(title === undefined ? [] : [`--title=${title}`]),
      ...(author === undefined ? [] : [`--authors=${author}`]),
    ],
    env,
    limits,
  });
  if (/DRMError|is locked with DRM|DRM/.test(end.stderr) && end.exitCode !== 0) {
    throw new FilemillError("PASSWORD_REQUIRED", "The book is protected by DRM and cannot be read.");
  }
  throwIfFailed(end, badInput, `The book is damaged, or is not ${from.toUpperCase()}.`);
  noteDamage(task, end);
  await noteProperties(inspector, task, session.pathOf(`out.${to}`));
  await session.adopt(`out.${to}`);
}

function versionOf(path: string): string | undefined {
  try {
    return /^numeric_version = \((\d+), (\d+), (\d+)\)/m.exec(readFileSync(path, "utf8"))?.slice(1).join(".");
  } catch {
    return undefined;
  }
}

export const calibreEngine = defineEngine({
  id: "calibre",
  label: "Calibre",
  lane: "document",
  packages: ["calibre"],
  hops,
  badInput,
  async probe() {
    return versionFiles.map(versionOf).find((version) => version !== undefined);
  },
  run,
});
