/** Figures that are robust on a noisy machine: medians of interleaved rounds. */

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export type Pair = {
  readonly ours: number;
  readonly bare: number;
  readonly ratio: number;
  /** Ratio of the total CPU time of all rounds; NaN if it is not measured. */
  readonly processorRatio: number;
};

/** CPU time in ms that each of the two has spent so far. */
type ProcessorTimes = { readonly ours: () => number; readonly bare: () => number };

/** Runs both alternately, the first one first in even rounds and second in odd ones; ms each, and the median of the ratios by round. */
export async function compare(
  rounds: number,
  ours: () => Promise<unknown>,
  bare: () => Promise<unknown>,
  spent: ProcessorTimes = { ours: () => Number.NaN, bare: () => Number.NaN },
): Promise<Pair> {
  const times: { ours: Cost; bare: Cost }[] = [];
  for (let round = 0; round < rounds; round++) {
    const oursFirst = round % 2 === 0 ? await costOf(ours, spent.ours) : undefined;
    const bareCost = await costOf(bare, spent.bare);
    times.push({ ours: oursFirst ?? (await costOf(ours, spent.ours)), bare: bareCost });
  }
  const sum = (which: "ours" | "bare") => times.reduce((total, time) => total + time[which].processorMs, 0);
  return {
    ours: median(times.map((time) => time.ours.elapsedMs)),
    bare: median(times.map((time) => time.bare.elapsedMs)),
    ratio: median(times.map((time) => time.ours.elapsedMs / time.bare.elapsedMs)),
    processorRatio: sum("ours") / sum("bare"),
  };
}

type Cost = { readonly elapsedMs: number; readonly processorMs: number };

async function costOf(run: () => Promise<unknown>, spentMs: () => number): Promise<Cost> {
  const [start, spent] = [performance.now(), spentMs()];
  await run();
  return { elapsedMs: performance.now() - start, processorMs: spentMs() - spent };
}

/** A line of the report. */
export function report(what: string, pair: Pair, budget: string): string {
  return `${what.padEnd(52)} ${pair.ours.toFixed(1).padStart(8)} ms / ${pair.bare.toFixed(1).padStart(7)} ms bare = ${pair.ratio.toFixed(2)}x  (budget ${budget})`;
}
