/** `filemill watch`: converts files that arrive in a folder. Existing results show what is done, so a restart repeats nothing. */
import { mkdir, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Command, Option } from "commander";
import { type ErrorCode, FilemillError } from "#contract/errors.ts";
import type { OptionTexts } from "#gateway/preset.ts";
import { parseCount } from "./convert-command.ts";
import { type FilePair, filePairsOf, isInside } from "./input-files.ts";
import { moveFile } from "./move-file.ts";
import { type Conversions, openConversions } from "./open-conversions.ts";
import { inOwnWords } from "./own-words.ts";
import { type OptionFlags, optionsOf, withOptions } from "./presets.ts";
import { type ServerFlags, serverAddressOf, withServer } from "./server-address.ts";
import type { Shell } from "./shell.ts";
import { sizeOf } from "./table.ts";
import { checkFormat } from "./target-format.ts";

type WatchFlags = ServerFlags &
  OptionFlags & {
    readonly to: string;
    readonly outDir?: string;
    readonly moveTo?: string;
    readonly every: number;
    readonly once?: true;
  };

export function addWatchCommand(program: Command, shell: Shell): void {
  withOptions(withServer(program.command("watch")))
    .description("convert every file that arrives in a folder or its subfolders, until stopped")
    .argument("<folder>")
    .requiredOption("--to <format>", "the format of the results")
    .option("--out-dir <folder>", "folder for the results (default: `converted` in the watched folder)")
    .option("--move-to <folder>", "folder for the originals once converted (default: they stay)")
    .option("--once", "convert what is there now, then exit")
    .addOption(new Option("--every <seconds>", "how often to check").argParser(parseCount).default(1))
    .action(async (path: string, flags: WatchFlags) => {
      checkFormat("--to", flags.to);
      const at = (other: string): string => resolve(shell.callerFolder, other);
      const folder = at(path);
      const facts = await stat(folder).catch(() => undefined);
      if (facts?.isDirectory() !== true) throw new FilemillError("BAD_REQUEST", `${folder} is not a folder.`);
      const outDir = flags.outDir === undefined ? join(folder, "converted") : at(flags.outDir);
      const moveTo = flags.moveTo === undefined ? undefined : at(flags.moveTo);
      if (outDir === folder) throw new FilemillError("BAD_REQUEST", "--out-dir is the watched folder; results need another folder.");
      if (moveTo === folder) throw new FilemillError("BAD_REQUEST", "--move-to is the watched folder; originals need another folder.");
      const options = await optionsOf(flags, shell);
      await using conversions = await openConversions(serverAddressOf(flags, shell), shell);
      await watch({ folder, outDir, moveTo, conversions, flags, options, shell });
    });
}

type Watch = {
  readonly folder: string;
  readonly outDir: string;
  readonly moveTo: string | undefined;
  readonly conversions: Pick<Conversions, "convert">;
  readonly flags: WatchFlags;
  readonly options: OptionTexts;
  readonly shell: Shell;
};

/** The next try of a file that failed because the server was away or overloaded. */
type Retry = { readonly message: string; readonly tries: number; readonly atMs: number };

type Seen = {
  /** Size and time of each file at the last check. A file that still changes is not complete. */
  readonly looks: Map<string, string>;
  /** Size and time of each file that could not be converted. It is retried once it has changed. */
  readonly failed: Map<string, string>;
  readonly retries: Map<string, Retry>;
};

/** Runs until the shell's signal fires (Ctrl-C). With --once, ends when nothing is left to convert. */
async function watch(task: Watch): Promise<void> {
  const { flags, shell } = task;
  const seen: Seen = { looks: new Map(), failed: new Map(), retries: new Map() };
  for (;;) {
    const { due, waits } = await lookAround(task, seen);
    for (const pair of due) {
      shell.signal.throwIfAborted();
      await convertDue(pair, task, seen);
    }
    if (flags.once === true && !waits) break;
    await sleep(flags.every * 1000, undefined, { signal: shell.signal }).catch(() => undefined);
    shell.signal.throwIfAborted();
  }
  const unconverted = seen.failed.size + seen.retries.size;
  if (unconverted > 0) throw new FilemillError("CONVERSION_FAILED", `${unconverted} files were not converted.`);
}

async function lookAround(
  { folder, outDir, moveTo, flags }: Watch,
  { looks, failed, retries }: Seen,
): Promise<{ due: FilePair[]; waits: boolean }> {
  const due: FilePair[] = [];
  let waits = false;
  for (const pair of await filePairsOf([folder], outDir, flags.to.replace(/^\./, "").toLowerCase())) {
    if (moveTo !== undefined && isInside(moveTo, folder) && isInside(pair.inputPath, moveTo)) continue;
    const [source, result] = await Promise.all([pair.inputPath, pair.outputPath].map((path) => stat(path).catch(() => undefined)));
    if (source === undefined || source.size === 0) continue;
    const look = `${source.size} ${source.mtimeMs}`;
    const isWhole = looks.get(pair.inputPath) === look;
    looks.set(pair.inputPath, look);
    // A result older than its source was made from an earlier version of the file.
    if (failed.get(pair.inputPath) === look || (result !== undefined && result.mtimeMs >= source.mtimeMs)) continue;
    if ((retries.get(pair.inputPath)?.atMs ?? 0) > Date.now()) continue;
    if (isWhole) due.push(pair);
    else waits = true;
  }
  return { due, waits };
}

const longestPauseMs = 60_000;

/** Converts a file, or prints the error and notes when to try again. */
async function convertDue(pair: FilePair, task: Watch, { looks, failed, retries }: Seen): Promise<void> {
  const { inputPath } = pair;
  const error = await convertOne(pair, task);
  const before = retries.get(inputPath);
  retries.delete(inputPath);
  failed.delete(inputPath);
  if (error === undefined) return;
  const message = `${error.code}: ${inOwnWords(error.message)}`;
  if (isTemporary(error)) {
    const tries = (before?.tries ?? 0) + 1;
    const pauseMs = Math.max(error.retryAfterMs ?? 0, Math.min(longestPauseMs, task.flags.every * 1000 * 2 ** (tries - 1)));
    retries.set(inputPath, { message, tries, atMs: Date.now() + pauseMs });
  } else failed.set(inputPath, looks.get(inputPath) ?? "");
  // A server that is away for an hour is worth one line per file.
  if (before?.message !== message) task.shell.err(`${relative(task.shell.callerFolder, inputPath)}: ${message}`);
}

const temporary: ReadonlySet<ErrorCode> = new Set(["UNAVAILABLE", "OVERLOADED", "RATE_LIMITED", "TOO_MANY_JOBS", "REQUEST_TIMEOUT"]);

/** Whether the server, not the file, is the reason. */
function isTemporary({ code, retryAfterMs }: FilemillError): boolean {
  return temporary.has(code) || retryAfterMs !== undefined;
}

/** Resolves with the error if the conversion failed. */
async function convertOne(
  { inputPath, outputPath }: FilePair,
  { conversions, flags, options, shell, folder, moveTo }: Watch,
): Promise<FilemillError | undefined> {
  const shown = (path: string): string => relative(shell.callerFolder, path);
  try {
    await mkdir(dirname(outputPath), { recursive: true });
    const { signal } = shell;
    const { notes } = await conversions.convert({ inputPath, outputPath, to: flags.to, options, signal });
    shell.out(`${shown(inputPath)} -> ${shown(outputPath)} (${sizeOf((await stat(outputPath)).size)})`);
    for (const { code, message } of notes) shell.err(`${shown(inputPath)}: ${code}: ${inOwnWords(message)}`);
    if (moveTo !== undefined) await moveFile(inputPath, join(moveTo, relative(folder, inputPath)));
    return undefined;
  } catch (error) {
    shell.signal.throwIfAborted();
    if (error instanceof FilemillError) return error;
    const system = error instanceof Error && "code" in error ? String(error.code) : undefined;
    if (system === undefined) throw error;
    return new FilemillError("BAD_REQUEST", `It cannot be moved or written (${system}).`, { cause: error });
  }
}
