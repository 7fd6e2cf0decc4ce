/** Options of `npm run prove`. */
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import type { ProveRequest } from "./prove.ts";

export const usage = `npm run prove [-- OPTION …]

Executes hops and routes on the corpus, reads the results with other programs, and writes the measurements to
services/catalogue/proof.tsv. Without options: what has no proof yet or whose declaration changed.

  --all              everything again; continues an interrupted --all unless sources, samples or programs changed since
  --engine ID        only paths with this engine; may be repeated
  --route FROM:TO    only these; either may be *; may be repeated
  --sample N         only N random ones of those already proven, and what has no proof
  --seed S           repeats a sample
  --changed          also hops of engines whose sources changed since the proof file was written
  --failed           also what failed before
  --check            writes nothing
  --local            only what the program versions of this machine have no proof of; writes DATA_DIR/proof.tsv
  --background       the same for a running service: writes its progress to DATA_DIR/proving.json, stops when standard input ends
  --values           compares generated values along every pair of data formats, with independent readers; with --route, --seed,
                     and --sample N for N values of each pair instead of 20
  --judge            has validators check the results of proven steps, and writes their verdicts to
                     test/prove/judges/judgements.json; with --engine, --route, --check, and --sample N for N sources of each
                     engine and target
  --own              converts each everyday format to itself with options (a smaller PDF, a shorter recording), and writes the
                     measurements to test/prove/own/own-figures.json; with --route X:X and --check
  --wild FOLDER      converts the real files in a folder (they are not in the repository), and compares the outcomes with
                     test/prove/wild/outcomes.json, which is updated unless --check is given
  --at-once N        conversions at the same time, 1 to 64; default: one more than there are cores
  --help             this

Exit codes: 0 if everything listed passes and every pair has a row (a pair that never passed has a row with the reason, and is not
listed), 1 if not, 2 for invalid options, 130 if interrupted.`;

export type Asked = Omit<ProveRequest, "settings" | "signal" | "say"> & {
  /** Compare values instead of executing routes. */
  readonly values: boolean;
  /** Have results judged instead of executing routes. */
  readonly judge: boolean;
  /** Measure changes within formats instead of executing routes. */
  readonly own: boolean;
  /** Convert the real files of this folder instead of executing routes. */
  readonly wild: string | undefined;
};

/** `help`, or a message about invalid arguments. */
export function requestOf(args: readonly string[], cores: number): Asked | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        all: { type: "boolean", default: false },
        engine: { type: "string", multiple: true, default: [] },
        route: { type: "string", multiple: true, default: [] },
        sample: { type: "string" },
        seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
        failed: { type: "boolean", default: false },
        changed: { type: "boolean", default: false },
        "at-once": { type: "string", default: String(cores + 1) },
        local: { type: "boolean", default: false },
        background: { type: "boolean", default: false },
        values: { type: "boolean", default: false },
        judge: { type: "boolean", default: false },
        own: { type: "boolean", default: false },
        wild: { type: "string" },
        check: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return "help";
    const { "at-once": atOnce, sample, ...rest } = { ...values, local: values.local || values.background };
    const badRoute = rest.route.find((pair) => !/^[^:]+:[^:]+$/.test(pair));
    if (badRoute !== undefined) return `--route takes FROM:TO, not ${badRoute}`;
    if (rest.wild !== undefined && !isFolder(rest.wild)) return `--wild takes a folder, and ${rest.wild} is none`;
    return {
      ...rest,
      wild: rest.wild,
      sample: sample === undefined ? undefined : countOf("sample", sample, 1_000_000),
      atOnce: countOf("at-once", atOnce, 64),
    };
  } catch (error) {
    return `${error instanceof Error ? error.message.split(". ")[0] : String(error)}: see npm run prove -- --help`;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function countOf(name: string, text: string, most: number): number {
  if (!/^\d{1,7}$/.test(text) || Number(text) < 1 || Number(text) > most) throw new Error(`--${name} takes a number from 1 to ${most}`);
  return Number(text);
}
