/** Named presets of conversion options, stored in a file of the user: `filemill preset save`, `--preset NAME`. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { FilemillError } from "#contract/errors.ts";
import { isPresetName, isPresets, type OptionTexts, optionsText, type Presets } from "#gateway/preset.ts";
import { didYouMean, nearestNames } from "#kit/nearest-names.ts";
import type { Shell } from "./shell.ts";
import { tableOf } from "./table.ts";

export type OptionFlags = { readonly opt: OptionTexts; readonly preset?: string };

/** Parses `name=value` of an `--opt`. */
function addOption(pair: string, options: OptionTexts): OptionTexts {
  const at = pair.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Write it as name=value.");
  return { ...options, [pair.slice(0, at)]: pair.slice(at + 1) };
}

const optFlag = () => new Option("--opt <name=value>", "a conversion option; repeatable").argParser(addOption).default({}, "none");

/** Adds `--opt` and `--preset`, which `optionsOf` evaluates. */
export function withOptions(command: Command): Command {
  return command.addOption(optFlag()).option("--preset <name>", "options saved with `filemill preset save`; --opt overrides them");
}

/** @throws FilemillError BAD_REQUEST if there is no such preset. */
export async function optionsOf({ opt, preset }: OptionFlags, shell: Shell): Promise<OptionTexts> {
  if (preset === undefined) return opt;
  const presets = await readPresets(shell);
  return { ...presetOf(presets, preset), ...opt };
}

export function addPresetCommands(program: Command, shell: Shell): void {
  const presets = program.command("preset").description("manage presets: named sets of options for --preset");
  presets
    .command("save")
    .description("save options under a name; an existing preset is replaced")
    .argument("<name>", "letters, digits, - and _", parseName)
    .addOption(optFlag())
    .action(async (name: string, { opt }: OptionFlags, command: Command) => {
      if (Object.keys(opt).length === 0) command.error("error: give at least one option: --opt name=value");
      await writePresets({ ...(await readPresets(shell)), [name]: opt }, shell);
    });
  presets
    .command("list")
    .description("list presets with their options")
    .action(async () => {
      const rows = Object.entries(await readPresets(shell)).map(([name, options]) => [name, optionsText(options)]);
      if (rows.length === 0) shell.err("No presets yet; save one with `filemill preset save NAME --opt name=value`.");
      else shell.out(tableOf(["NAME", "OPTIONS"], rows.toSorted()));
    });
  presets
    .command("remove")
    .description("remove one")
    .argument("<name>")
    .action(async (name: string) => {
      const kept = await readPresets(shell);
      presetOf(kept, name);
      await writePresets(Object.fromEntries(Object.entries(kept).filter(([other]) => other !== name)), shell);
    });
}

function parseName(text: string): string {
  if (!isPresetName(text)) throw new InvalidArgumentError("A name has up to 64 letters, digits, - and _.");
  return text;
}

function presetOf(presets: Presets, name: string): OptionTexts {
  const found = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (found !== undefined) return found;
  const near = didYouMean(nearestNames(name, Object.keys(presets)), "; `filemill preset list` lists them all.");
  throw new FilemillError("BAD_REQUEST", `There is no preset ${name}${near}`);
}

/** Follows the XDG Base Directory Specification. */
function fileOf({ env }: Shell): string {
  const folder = env.XDG_CONFIG_HOME || (env.HOME ? join(env.HOME, ".config") : undefined);
  if (folder === undefined) throw new FilemillError("BAD_REQUEST", "Presets are stored in your home folder, but HOME is not set.");
  return join(folder, "filemill/presets.json");
}

async function readPresets(shell: Shell): Promise<Presets> {
  const file = fileOf(shell);
  try {
    const kept: unknown = JSON.parse(await readFile(file, "utf8"));
    if (isPresets(kept)) return kept;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return {};
    throw new FilemillError("BAD_REQUEST", `The presets in ${file} cannot be read; repair or delete the file.`, { cause });
  }
  throw new FilemillError("BAD_REQUEST", `The presets in ${file} cannot be read; repair or delete the file.`);
}

async function writePresets(presets: Presets, shell: Shell): Promise<void> {
  const file = fileOf(shell);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(`${file}.new`, `${JSON.stringify(presets, null, 2)}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  } catch (cause) {
    throw new FilemillError("BAD_REQUEST", `The presets cannot be written to ${file}.`, { cause });
  }
}
