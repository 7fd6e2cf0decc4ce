/** `npm run prove -- --wild FOLDER`: converts other people's real files as a user would, and compares the outcomes. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import type { Library } from "#gateway/cli/library.ts";
import { openLibrary } from "#gateway/library.ts";
import { parseSettings } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { settingTable } from "#kit/settings.ts";
import { differenceOf, type Outcome, readOutcomes, wordsIn, writeOutcomes } from "./outcomes.ts";

export type WildRequest = {
  /** Folder with the files. */
  readonly wild: string;
  /** Write nothing. */
  readonly check: boolean;
  readonly settings: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  say(line: string): void;
};

const timeoutMs = 300_000;
const textTargets = new Set(["txt", "md", "html", "csv", "json", "geojson"]);

/** Whether every outcome is the same as before. Sequential, as a user's files arrive. */
export async function proveWild(request: WildRequest): Promise<boolean> {
  const here = new Set(await readdir(request.wild));
  const known = (await readOutcomes()).filter(({ file }) => here.has(file));
  const folder = await mkdtemp(join(tmpdir(), "filemill-wild-"));
  const settings = { ...parseSettings(settingTable, request.settings), DATA_DIR: folder };
  const found: Outcome[] = [];
  let different = 0;
  try {
    await using library = await openLibrary(settings, openLog("error"));
    for (const row of known) {
      if (request.signal.aborted) return false;
      const now = await outcomeOf(row, join(request.wild, row.file), join(folder, `result.${row.to}`), library, request.signal);
      const difference = differenceOf(row, now);
      different += Number(difference !== "");
      request.say(difference === "" ? `  ${row.file} to ${row.to}` : `  DIFFERENT ${row.file} to ${row.to}: ${difference}`);
      found.push(now);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (!request.check) await writeOutcomes((await readOutcomes()).map((row) => found.find((now) => isSame(row, now)) ?? row));
  request.say(`${found.length} conversions of real files, ${different} different`);
  return different === 0 && found.length > 0;
}

function isSame(one: Outcome, other: Outcome): boolean {
  return one.file === other.file && one.to === other.to;
}

async function outcomeOf(
  { file, to }: Outcome,
  inputPath: string,
  outputPath: string,
  library: Library,
  ended: AbortSignal,
): Promise<Outcome> {
  try {
    const signal = AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)]);
    const { notes } = await library.convert({ inputPath, outputPath, to, options: {}, signal });
    const codes = [...new Set(notes.map(({ code }) => code))].toSorted();
    const words = textTargets.has(to) ? { words: wordsIn(await readFile(outputPath, "utf8")) } : {};
    return { file, to, outcome: "done", notes: codes, ...words };
  } catch (error) {
    if (ended.aborted) throw error;
    return { file, to, outcome: error instanceof FilemillError ? error.code : String(error), notes: [] };
  } finally {
    await rm(outputPath, { force: true });
  }
}
