import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { FilemillError } from "#contract/errors.ts";
import type { OptionTexts } from "#gateway/preset.ts";
import { type FilePair, filePairsOf } from "./input-files.ts";
import type { Library } from "./library.ts";
import { openConversions } from "./open-conversions.ts";
import { inOwnWords } from "./own-words.ts";
import { pipeSign, withPipedFiles } from "./piped-files.ts";
import { type OptionFlags, optionsOf, withOptions } from "./presets.ts";
import { openProgressBars, type ProgressBars } from "./progress-bars.ts";
import { type ServerFlags, serverAddressOf, withServer } from "./server-address.ts";
import type { Shell } from "./shell.ts";
import { sizeOf } from "./table.ts";
import { checkFormat, formatOfOutput } from "./target-format.ts";
import { unreadable } from "./unreadable.ts";

type ConvertFlags = ServerFlags &
  OptionFlags & {
    readonly from?: string;
    readonly to?: string;
    readonly outDir?: string;
    readonly atOnce: number;
    readonly passwordFile?: string;
    readonly protectFile?: string;
  };

/** Parallel conversions on a server. In this process, files are converted one at a time. */
const defaultAtOnce = 4;

export function addConvertCommand(program: Command, shell: Shell): void {
  withOptions(withServer(program.command("convert")))
    .description("convert files, locally or on a server")
    .argument("<paths...>", "IN OUT for one file (- is standard input or output); with --out-dir, any number of files and folders")
    .option("--from <format>", "input format; default: detected from the content")
    .option("--to <format>", "output format; default: from the name of the output")
    .option("--out-dir <folder>", "folder for the results, which keep the names of their files; needs --to")
    .option("--password-file <file>", "file with the password of protected inputs; or set FILEMILL_INPUT_PASSWORD")
    .option("--protect-file <file>", "file with the password to protect the result; or set FILEMILL_OUTPUT_PASSWORD")
    .addOption(new Option("--at-once <n>", "with --server: number of parallel conversions").argParser(parseCount).default(defaultAtOnce))
    .action(async (paths: string[], flags: ConvertFlags, command: Command) => {
      const pairs = await pairsOf(paths, flags, shell, command);
      await checkBeforehand(pairs, flags);
      const options = await optionsOf(flags, shell);
      const password = await passwordIn(flags.passwordFile, shell.env.FILEMILL_INPUT_PASSWORD, shell);
      const outputPassword = await passwordIn(flags.protectFile, shell.env.FILEMILL_OUTPUT_PASSWORD, shell);
      if (outputPassword !== undefined && isFalse(options.protect)) {
        throw new FilemillError("INVALID_OPTION", "A password for the result was given; remove --opt protect=false.");
      }
      const server = serverAddressOf(flags, shell);
      using bars = await openProgressBars(shell.isInteractive);
      await using library = await openConversions(server, shell);
      await convertAll(pairs, {
        library,
        flags,
        options,
        shell,
        bars,
        password,
        outputPassword,
        atOnce: server === undefined ? 1 : flags.atOnce,
      });
    });
}

/**
 * Finds all errors that can be detected quickly, before anything starts.
 *
 * @throws FilemillError BAD_REQUEST, INVALID_INPUT, UNSUPPORTED_TARGET, UNKNOWN_SOURCE_FORMAT
 */
async function checkBeforehand(pairs: readonly FilePair[], { from, to, outDir }: ConvertFlags): Promise<void> {
  if (from !== undefined) checkFormat("--from", from);
  if (to !== undefined) checkFormat("--to", to);
  const inputs = new Set(pairs.map(({ inputPath }) => inputPath));
  for (const { inputPath, outputPath } of pairs) {
    if (inputPath === outputPath && inputPath !== pipeSign) {
      throw new FilemillError("BAD_REQUEST", "The result would overwrite the file itself; give it another name or folder.");
    }
    if (inputPath !== outputPath && inputs.has(outputPath)) {
      throw new FilemillError("BAD_REQUEST", `The result of ${inputPath} would overwrite ${outputPath}; choose another folder.`);
    }
    if (inputPath !== pipeSign) await checkInput(inputPath);
    if (outDir !== undefined || outputPath === pipeSign) continue;
    if (to === undefined) formatOfOutput(outputPath);
    await stat(dirname(outputPath)).catch((cause: NodeJS.ErrnoException) => {
      throw new FilemillError("BAD_REQUEST", `The output folder ${dirname(outputPath)} does not exist (${cause.code}).`, { cause });
    });
  }
}

async function checkInput(path: string): Promise<void> {
  const facts = await stat(path).catch(unreadable(path, "INVALID_INPUT"));
  if (facts.isDirectory()) throw new FilemillError("BAD_REQUEST", `${path} is a folder; use --out-dir FOLDER --to FORMAT.`);
  if (facts.isFile() && facts.size === 0) throw new FilemillError("INVALID_INPUT", `${path} is empty.`);
}

/** Reads a password from a file or the environment. It is never an argument, because every user of the machine can read command lines. */
async function passwordIn(path: string | undefined, otherwise: string | undefined, { callerFolder }: Shell): Promise<string | undefined> {
  if (path === undefined) return otherwise || undefined;
  const text = await readFile(resolve(callerFolder, path), "utf8").catch(unreadable("The password file", "BAD_REQUEST"));
  const password = text.replace(/\r?\n$/, "");
  if (password === "") throw new FilemillError("BAD_REQUEST", "The password file is empty.");
  return password;
}

/** Matches the values that the catalogue accepts as false. */
function isFalse(text: string | undefined): boolean {
  return text === "false" || text === "0";
}

async function pairsOf(paths: readonly string[], flags: ConvertFlags, { callerFolder }: Shell, command: Command): Promise<FilePair[]> {
  const absolute = paths.map((path) => (path === pipeSign && flags.outDir === undefined ? path : resolve(callerFolder, path)));
  if (flags.outDir !== undefined) {
    if (flags.to === undefined) command.error("error: --out-dir needs --to FORMAT");
    const pairs = await filePairsOf(absolute, resolve(callerFolder, flags.outDir), flags.to.replace(/^\./, "").toLowerCase());
    if (pairs.length === 0) throw new FilemillError("BAD_REQUEST", "There are no files to convert.");
    return pairs;
  }
  const [inputPath, outputPath, ...more] = absolute;
  if (inputPath === undefined || outputPath === undefined || more.length > 0) {
    return command.error("error: name IN and OUT for one file, or --out-dir FOLDER --to FORMAT for several");
  }
  if (outputPath === pipeSign && flags.to === undefined) command.error("error: standard output needs --to FORMAT");
  return [{ inputPath, outputPath }];
}

type Run = {
  readonly library: Pick<Library, "convert">;
  readonly flags: ConvertFlags;
  readonly options: OptionTexts;
  readonly shell: Shell;
  readonly bars: ProgressBars;
  readonly password: string | undefined;
  readonly outputPassword: string | undefined;
  readonly atOnce: number;
};

/** A single file fails with its own error. With several files, prints each error and continues with the others. */
async function convertAll(pairs: readonly FilePair[], run: Run): Promise<void> {
  const { shell } = run;
  const startedAt = performance.now();
  const [only] = pairs;
  if (pairs.length === 1 && only !== undefined && run.flags.outDir === undefined) {
    const { notes, bytes } = await withPipedFiles(only, run.flags.to, shell, (pair) => convertOne(pair, run));
    for (const note of notes) shell.err(note);
    // The caller who pipes the result knows its destination.
    if (only.outputPath === pipeSign) return;
    const [from, to] = [only.inputPath, only.outputPath].map((path) => (path === pipeSign ? path : relative(shell.callerFolder, path)));
    shell.err(`${from} -> ${to} (${summaryOf(bytes, notes.length, startedAt)})`);
    return;
  }
  let [done, failed, bytes, noted] = [0, 0, 0, 0];
  const queue = pairs.values();
  const shown = (path: string) => relative(shell.callerFolder, path);
  const work = async (): Promise<void> => {
    for (const pair of queue) {
      try {
        const made = await convertOne(pair, run);
        shell.out(`${shown(pair.inputPath)} -> ${shown(pair.outputPath)}`);
        for (const note of made.notes) shell.err(`${shown(pair.inputPath)}: ${note}`);
        done += 1;
        bytes += made.bytes;
        noted += made.notes.length;
      } catch (error) {
        shell.signal.throwIfAborted();
        if (!(error instanceof FilemillError)) throw error;
        failed++;
        shell.err(`${shown(pair.inputPath)}: ${error.code}: ${inOwnWords(error.message)}`);
      }
    }
  };
  // Waits for all of them, so that conversions are cleaned up even after Ctrl-C.
  const ends = await Promise.allSettled(Array.from({ length: run.atOnce }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  shell.err(
    `${done} of ${pairs.length} files -> ${relative(shell.callerFolder, resolve(shell.callerFolder, run.flags.outDir ?? ""))} (${summaryOf(bytes, noted, startedAt)})`,
  );
  if (failed > 0) throw new FilemillError("CONVERSION_FAILED", `${failed} of ${pairs.length} files were not converted.`);
}

/** The figures for the last line. */
function summaryOf(bytes: number, notes: number, startedAt: number): string {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  return [sizeOf(bytes), ...(notes === 0 ? [] : [`${notes} ${notes === 1 ? "note" : "notes"}`]), `${seconds} s`].join(", ");
}

/** Resolves with the notes, one line each, and the size of the result. */
async function convertOne(
  { inputPath, outputPath }: FilePair,
  { library, flags, options, shell, bars, password, outputPassword }: Run,
): Promise<{ notes: string[]; bytes: number }> {
  const { from, to, outDir } = flags;
  if (outDir !== undefined) await mkdir(dirname(outputPath), { recursive: true });
  const line = bars.add(relative(shell.callerFolder, inputPath));
  try {
    const { notes } = await library.convert({
      inputPath,
      outputPath,
      options: outputPassword === undefined ? options : { protect: "true", ...options },
      signal: shell.signal,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(password === undefined ? {} : { password }),
      ...(outputPassword === undefined ? {} : { outputPassword }),
      onProgress: (progress) => line.show(progress),
    });
    return { notes: notes.map(({ code, message }) => `${code}: ${inOwnWords(message)}`), bytes: (await stat(outputPath)).size };
  } catch (error) {
    shell.signal.throwIfAborted();
    throw error;
  } finally {
    line.end();
  }
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 20) throw new InvalidArgumentError("It must be a number from 1 to 20.");
  return count;
}
