/** `filemill watch`: converts files that arrive in a folder. Existing results show what is done, so a restart repeats nothing. */
import { mkdir, rename, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Command, Option } from "commander";
import { FilemillError } from "#contract/errors.ts";
import type { OptionTexts } from "#gateway/preset.ts";
import { parseCount } from "./convert-command.ts";
import { type FilePair, filePairsOf } from "./input-files.ts";
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

/** Runs until the shell's signal fires (Ctrl-C). With --once, ends when nothing is left to convert. */
async function watch(task: Watch): Promise<void> {
  const { flags, shell } = task;
  /** Size and time of each file at the last check. A file that still changes is not complete. */
  const seen = new Map<string, string>();
  /** Size and time of each file that could not be converted. It is retried once it has changed. */
  const failed = new Map<string, string>();
  for (;;) {
    const { due, waits } = await lookAround(task, seen, failed);
    for (const pair of due) {
      shell.signal.throwIfAborted();
      if (!(await convertOne(pair, task))) failed.set(pair.inputPath, seen.get(pair.inputPath) ?? "");
    }
    if (flags.once === true && !waits) break;
    await sleep(flags.every * 1000, undefined, { signal: shell.signal }).catch(() => undefined);
    shell.signal.throwIfAborted();
  }
  if (failed.size > 0) throw new FilemillError("CONVERSION_FAILED", `${failed.size} files were not converted.`);
}

async function lookAround(
  { folder, outDir, moveTo, flags }: Watch,
  seen: Map<string, string>,
  failed: ReadonlyMap<string, string>,
): Promise<{ due: FilePair[]; waits: boolean }> {
  const due: FilePair[] = [];
  let waits = false;
  const left = [outDir, ...(moveTo === undefined ? [] : [moveTo])];
  for (const pair of await filePairsOf([folder], outDir, flags.to.replace(/^\./, "").toLowerCase())) {
    if (left.some((other) => !relative(other, pair.inputPath).startsWith(".."))) continue;
    const [source, result] = await Promise.all([pair.inputPath, pair.outputPath].map((path) => stat(path).catch(() => undefined)));
    if (source === undefined || source.size === 0) continue;
    const look = `${source.size} ${source.mtimeMs}`;
    const isWhole = seen.get(pair.inputPath) === look;
    seen.set(pair.inputPath, look);
    // A result older than its source was made from an earlier version of the file.
    if (failed.get(pair.inputPath) === look || (result !== undefined && result.mtimeMs >= source.mtimeMs)) continue;
    if (isWhole) due.push(pair);
    else waits = true;
  }
  return { due, waits };
}

/** Resolves with false if the conversion failed, after printing the error. */
async function convertOne(
  { inputPath, outputPath }: FilePair,
  { conversions, flags, options, shell, folder, moveTo }: Watch,
): Promise<boolean> {
  const shown = (path: string): string => relative(shell.callerFolder, path);
  try {
    await mkdir(dirname(outputPath), { recursive: true });
    const { signal } = shell;
    const { notes } = await conversions.convert({ inputPath, outputPath, to: flags.to, options, signal });
    shell.out(`${shown(inputPath)} -> ${shown(outputPath)} (${sizeOf((await stat(outputPath)).size)})`);
    for (const { code, message } of notes) shell.err(`${shown(inputPath)}: ${code}: ${inOwnWords(message)}`);
    if (moveTo === undefined) return true;
    const kept = join(moveTo, relative(folder, inputPath));
    await mkdir(dirname(kept), { recursive: true });
    await rename(inputPath, kept);
    return true;
  } catch (error) {
    shell.signal.throwIfAborted();
    const known = error instanceof FilemillError ? error : undefined;
    const system = error instanceof Error && "code" in error ? String(error.code) : undefined;
    if (known === undefined && system === undefined) throw error;
    shell.err(
      `${shown(inputPath)}: ${known?.code ?? "BAD_REQUEST"}: ${inOwnWords(known?.message ?? `It cannot be moved or written (${system}).`)}`,
    );
    return false;
  }
}
