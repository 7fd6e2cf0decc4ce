/** Figures that survive a noisy machine: medians of interleaved rounds. */

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export type Pair = { readonly ours: number; readonly bare: number; readonly ratio: number };

/** Runs both in turn, first one first in even rounds and second in odd ones; ms each, and the median of the ratios round by round. */
export async function compare(rounds: number, ours: () => Promise<unknown>, bare: () => Promise<unknown>): Promise<Pair> {
  const times: { ours: number; bare: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0 ? ours : bare;
    const second = round % 2 === 0 ? bare : ours;
    const a = await elapsedMs(first);
    const b = await elapsedMs(second);
    times.push(round % 2 === 0 ? { ours: a, bare: b } : { ours: b, bare: a });
  }
  return {
    ours: median(times.map((time) => time.ours)),
    bare: median(times.map((time) => time.bare)),
    ratio: median(times.map((time) => time.ours / time.bare)),
  };
}

async function elapsedMs(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** A line of the report. */
export function report(what: string, pair: Pair, budget: string): string {
  return `${what.padEnd(52)} ${pair.ours.toFixed(1).padStart(8)} ms / ${pair.bare.toFixed(1).padStart(7)} ms bare = ${pair.ratio.toFixed(2)}x  (budget ${budget})`;
}
