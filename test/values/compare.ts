/** Converts generated values along pairs of formats and reports the changes. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { FilemillError } from "#contract/errors.ts";
import type { Engine } from "#services/conversion/domain/engine.ts";
import { type Bench, openBench } from "#test/contract/engine.ts";
import { type Difference, isExcused } from "./difference.ts";
import type { Foreign } from "./foreign.ts";
import type { Pair } from "./pairs.ts";
import type { Said, SaidTable } from "./said.ts";
import { holdsPlainText } from "./subtitles.ts";

export type Tally = { exact: number; noted: number; refused: number; unwritten: number };
export type Outcome = Tally & {
  readonly pair: Pair;
  /** An unannounced change, in the smallest value that shows it. */
  readonly silent?: string;
};

/** Codes with which a valid file may be refused. */
const refusals = new Set(["CONVERSION_FAILED", "INPUT_TOO_COMPLEX"]);
/** Acceptable only for blanks, style markup and lines of the format itself. */
const saysNothing = "The file contains no subtitles.";

export type Place = { readonly benches: Benches; readonly foreign: Foreign; readonly seed: number; readonly runs: number };

/** One bench per engine, opened on first use. */
export type Benches = AsyncDisposable & { of(engine: Engine): Promise<Bench> };

export function openBenches(): Benches {
  const open = new Map<string, Promise<Bench>>();
  return {
    of(engine) {
      const bench = open.get(engine.id) ?? openBench(engine);
      open.set(engine.id, bench);
      return bench;
    },
    async [Symbol.asyncDispose]() {
      for (const bench of open.values()) await (await bench)[Symbol.asyncDispose]();
    },
  };
}

export async function compareAlong(pair: Pair, place: Place): Promise<Outcome> {
  const tally: Tally = { exact: 0, noted: 0, refused: 0, unwritten: 0 };
  const result = await fc.check(
    fc.asyncProperty(pair.given, async (value) => {
      tally[await fateOf(pair, value, place)] += 1;
    }),
    { seed: place.seed, numRuns: place.runs, endOnFailure: false, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
  );
  // Not a silent change either if a busy machine had no time for a single run.
  if (!result.failed || result.counterexample === null) return { ...tally, pair };
  const error = result.errorInstance;
  return {
    ...tally,
    pair,
    silent: `${error instanceof Error ? error.message : String(error)}\n    of ${JSON.stringify(result.counterexample)}`,
  };
}

let count = 0;

async function fateOf({ from, to, judge }: Pair, value: Said | SaidTable, { benches, foreign }: Place): Promise<keyof Tally> {
  const bench = await benches.of(judge.engine);
  const path = join(bench.folder, `value-${++count}.${from}`);
  const made: string[] = [path];
  // A file with this character is not text, and is refused as such.
  if (/^[ctp]sv$/.test(from) && JSON.stringify(value).includes("\\u0000")) return "unwritten";
  try {
    const was = await foreign
      .write(from, value, path)
      .then(() => foreign.read(from, path))
      .catch(() => undefined);
    if (was === undefined) return "unwritten";
    const converted = await bench.convert(path, from, to).catch((error: unknown) => error);
    if (converted instanceof FilemillError && refusals.has(converted.code)) return "refused";
    if (converted instanceof FilemillError && converted.message === saysNothing && !holdsPlainText(value)) return "refused";
    if (converted instanceof Error) throw new Error(`${converted.name}: ${converted.message}`);
    const { path: resultPath, notes } = converted as Awaited<ReturnType<Bench["convert"]>>;
    made.push(resultPath);
    const is = await foreign.read(judge.readAs?.(to) ?? to, resultPath);
    const codes = new Set<string>(notes.keys());
    const differences = judge.differencesOf(was, is, from, to, codes);
    const silent = differences.filter((each) => !isExcused(each, codes, judge));
    if (silent.length > 0) throw new Error(`${silent.map(told).join("; ")} (notes: ${[...codes].join(" ") || "none"})`);
    return differences.length > 0 ? "noted" : "exact";
  } finally {
    for (const file of made) await rm(file, { force: true });
  }
}

const told = ({ change, place, was, is }: Difference) => `${change} at ${place}: ${was} became ${is}`;
