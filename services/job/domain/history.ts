/** How long conversions took lately, from which the next one's end is guessed. */
export type History = {
  record(run: Run, durationMs: number): void;
  /** Expected duration in ms of one attempt. */
  expectMs(run: Run): number;
  /** Moving average in ms over all sizes; undefined when there was no run. */
  expectRouteMs(from: string, to: string): number | undefined;
  /** Expected duration in ms of any job of the lane. */
  expectLaneMs(lane: string): number;
};
export type Run = { readonly from: string; readonly to: string; readonly sizeBytes: number; readonly lane: string };

/** Weight of the newest run in the moving average. */
const weight = 0.2;
const unknownLaneMs = 2000;
const laneDefaultsMs: Readonly<Record<string, number>> = { image: 300, document: 1500, office: 3000, media: 10_000 };

/** An exponentially weighted moving average per route and size class, and per lane. */
export function createHistory(): History {
  const routes = new Map<string, number>();
  const pairs = new Map<string, number>();
  const laneAverages = new Map<string, number>();
  const expectLaneMs = (lane: string): number => laneAverages.get(lane) ?? laneDefaultsMs[lane] ?? unknownLaneMs;
  return {
    expectLaneMs,
    expectMs: (run) => routes.get(keyOf(run)) ?? expectLaneMs(run.lane),
    expectRouteMs: (from, to) => pairs.get(`${from}>${to}`),
    record(run, durationMs) {
      blend(pairs, `${run.from}>${run.to}`, durationMs);
      blend(routes, keyOf(run), durationMs);
      blend(laneAverages, run.lane, durationMs);
    },
  };
}

/** Each class is four times the size of the one before: 0 to 255 bytes, to 1 KiB, to 4 KiB, … */
export function sizeClassOf(sizeBytes: number): number {
  return Math.max(0, Math.floor(Math.log2(Math.max(1, sizeBytes)) / 2) - 3);
}

function keyOf(run: Run): string {
  return `${run.from}>${run.to}:${sizeClassOf(run.sizeBytes)}`;
}

function blend(averages: Map<string, number>, key: string, durationMs: number): void {
  const before = averages.get(key);
  averages.set(key, before === undefined ? durationMs : before + weight * (durationMs - before));
}
