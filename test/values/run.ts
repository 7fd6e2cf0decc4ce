/** `npm run prove -- --values`: converts generated values along every pair and prints the changes. */
import { compareAlong, type Outcome, openBenches } from "./compare.ts";
import { openForeign } from "./foreign.ts";
import { type Pair, valuePairs } from "./pairs.ts";

export type ValuesRequest = {
  /** `from:to`; either may be `*`. Empty for all. */
  readonly route: readonly string[];
  /** Reproduces the same values. */
  readonly seed: string;
  readonly runs: number;
  readonly signal: AbortSignal;
  say(line: string): void;
};

const isWanted = (pair: Pair, routes: readonly string[]) =>
  routes.length === 0 ||
  routes.some((route) => {
    const [from, to] = route.split(":");
    return (from === "*" || from === pair.from) && (to === "*" || to === pair.to);
  });

export const lineOf = ({ pair, exact, noted, refused, unwritten, silent }: Outcome): string =>
  [
    `${pair.from} to ${pair.to} (${pair.sort})`,
    `${exact} exact, ${noted} noted, ${refused} refused${unwritten > 0 ? `, ${unwritten} not written` : ""}`,
    ...(silent === undefined ? [] : [`SILENT: ${silent}`]),
  ].join(": ");

/** Whether nothing changed silently. */
export async function proveValues({ route, seed, runs, signal, say }: ValuesRequest): Promise<boolean> {
  await using benches = openBenches();
  await using foreign = openForeign();
  const pairs = valuePairs.filter((pair) => isWanted(pair, route));
  const silent: Outcome[] = [];
  for (const pair of pairs) {
    if (signal.aborted) break;
    const outcome = await compareAlong(pair, { benches, foreign, seed: Number(seed), runs });
    say(lineOf(outcome));
    if (outcome.silent !== undefined) silent.push(outcome);
  }
  say(`${pairs.length} pairs, ${silent.length} with values that changed in silence; --seed ${seed} compares the same values again`);
  for (const { pair } of silent) say(`  ${pair.from} to ${pair.to} (${pair.sort})`);
  return silent.length === 0 && pairs.length > 0;
}
