/** Options of `npm run prove`. */
import { parseArgs } from "node:util";
import type { ProveRequest } from "./prove.ts";

export const usage = `npm run prove [-- OPTION …]

Executes hops and routes on the corpus, has the results read by other programs, and writes the figures to services/catalogue/proof.tsv.
Without an option: what has no proof yet, or was declared anew.

  --all              everything afresh; goes on where an earlier --all ended, unless sources, samples or programs changed since
  --engine ID        only paths with this engine; may be repeated
  --route FROM:TO    only these; either may be *; may be repeated
  --sample N         only N drawn at random of what is proven, and what has no proof
  --seed S           draws the same again
  --changed          also hops of engines whose sources changed since the proof file was written
  --failed           also what failed before
  --check            writes nothing
  --local            only what the versions of this machine have no proof of; writes DATA_DIR/proof.tsv
  --background       the same for a service that runs: tells how far it is in DATA_DIR/proving.json, ends when standard input does
  --values           compares generated values along every pair of data formats, by readers that had no part in it; with --route, --seed,
                     and --sample N for N values of each pair instead of 20
  --judge            has the results of proven steps judged by validators of their formats, and writes what they said to
                     test/prove/judges/judgements.json; with --engine, --route, --check, and --sample N for N sources of each
                     engine and target
  --own              asks something of each everyday format in its own format (a smaller PDF, a cut sound), of files large enough to
                     tell, and writes what was measured to test/prove/own/own-figures.json; with --route X:X and --check
  --wild FOLDER      converts the real files of other people that a folder has (they are not in the repository), and compares what
                     becomes of them with test/prove/wild/outcomes.json, which it renews without --check
  --at-once N        conversions at the same time, 1 to 64; else one more than there are cores
  --help             this

Ends with 0 when all that was listed passes and nothing is left without a row (a pair that has never passed has a row that says why, and
is not listed), 1 when not, 2 when it does not understand, 130 when it was ended early.`;

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

function countOf(name: string, text: string, most: number): number {
  if (!/^\d{1,7}$/.test(text) || Number(text) < 1 || Number(text) > most) throw new Error(`--${name} takes a number from 1 to ${most}`);
  return Number(text);
}
