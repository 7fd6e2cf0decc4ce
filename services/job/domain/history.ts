/**
 * Recent durations of conversions, from which the next duration is estimated.
 *
 * An estimate starts from a curve: the duration of the route's proof or, without one, the usual duration in its lane. Half of that is
 * fixed, and half grows with size. How recent runs in the lane compare with their curves shows how fast this machine is and shifts the
 * curve; recent runs of the route itself shift it further. Runs of a similar size with the same options count most.
 */
import { formatOf } from "#formats/index.ts";

/** What is known of a conversion before it runs; 0 if unknown. */
export type Run = {
  readonly from: string;
  readonly to: string;
  readonly lane: string;
  readonly sizeBytes: number;
  /** Of a picture. */
  readonly pixels: number;
  /** Of sound or video, in ms. */
  readonly lastsMs: number;
  /** Stands for the options: equal options have equal numbers. */
  readonly variant: number;
  /** How long the route's proof took, on a small file. */
  readonly provenMs: number;
};

/** A finished run: how much there was to convert, in the unit of its list, and how long it took in ms. */
export type Timing = { readonly amount: number; readonly variant: number; readonly tookMs: number };
/** The last runs of one route whose sizes have the same unit, oldest first. */
export type RouteTimings = { readonly route: string; readonly timings: readonly Timing[] };

export type History = {
  record(run: Run, tookMs: number): void;
  /** Expected duration in ms of one attempt. */
  expectMs(run: Run): number;
  /** Across all sizes and options, in ms; undefined if there was no run. */
  expectRouteMs(from: string, to: string): number | undefined;
  /** Takes over what an earlier process remembered. */
  recall(remembered: RouteTimings): void;
  /** What has changed since the last call, to be stored. */
  changes(): readonly RouteTimings[];
};

/**
 * Amounts at which half of the time depends on the amount: those of the files that proofs convert. For video, pixels times milliseconds.
 */
const usualAmounts = { film: 250_000_000, pixels: 250_000, sound: 4000, bytes: 100_000 } as const;
type Unit = keyof typeof usualAmounts;
const laneUsualMs: Readonly<Record<string, number>> = { image: 300, document: 1500, office: 3000, media: 10_000 };
const unknownLaneMs = 2000;

const mostTimings = 32;
/** The routes used longest ago are forgotten. */
const mostRoutes = 4000;
/** Fewer runs say little about a machine. */
const leastRatios = 3;
/** Weight of each run relative to the next newer one. */
const ageWeight = 0.95;
/** Weight of a run with other options. */
const otherWeight = 0.05;
/** How much a run says about other amounts: at this factor, three fifths of its weight; at any distance, a little. */
const likeFactor = 3;
const farWeight = 0.02;
/** Limits extrapolation: an amount further beyond the known ones than this factor is treated as larger by this factor only. */
const farthest = 20;
/** Weight of the curve relative to the runs. */
const curveWeight = 0.02;
/** A first run since a start that took this many times longer than the next one, for its size, started an engine. It is dropped then. */
const coldFactor = 2;

export function createHistory(): History {
  const routes = new Map<string, readonly Timing[]>();
  const changed = new Set<string>();
  /** The first run of each route in this process, until the second; undefined from then on. */
  const firsts = new Map<string, Timing | undefined>();

  function keep(route: string, timings: readonly Timing[]): void {
    routes.delete(route);
    routes.set(route, timings.slice(-mostTimings));
    const [oldest] = routes.keys();
    if (routes.size > mostRoutes && oldest !== undefined) routes.delete(oldest);
  }

  function add(route: string, timing: Timing): void {
    keep(route, [...(routes.get(route) ?? []), timing]);
    changed.add(route);
  }

  function drop(route: string, timing: Timing): void {
    routes.set(
      route,
      (routes.get(route) ?? []).filter((each) => each !== timing),
    );
  }

  const expectMs = (run: Run): number => {
    const ratios = routes.get(paceName(run.lane)) ?? [];
    return expectedMs(run, routes.get(nameOf(run, amountOf(run).unit)) ?? [], medianOf(ratios.map(({ tookMs }) => tookMs)));
  };

  return {
    record(run, tookMs) {
      const { unit, amount } = amountOf(run);
      const route = nameOf(run, unit);
      const timing = { amount, variant: run.variant, tookMs: Math.max(1, tookMs) };
      const paceOf = (each: Timing): number => each.tookMs / curveMs(run, each.amount / usualAmounts[unit]);
      const first = firsts.get(route);
      if (firsts.has(route)) add(paceName(run.lane), { amount, variant: 0, tookMs: paceOf(timing) });
      if (first !== undefined && paceOf(first) > coldFactor * paceOf(timing)) drop(route, first);
      firsts.set(route, firsts.has(route) ? undefined : timing);
      add(route, timing);
    },
    expectMs,
    expectRouteMs(from, to) {
      const all = Object.keys(usualAmounts).flatMap((unit) => routes.get(nameOf({ from, to }, unit)) ?? []);
      if (all.length === 0) return undefined;
      return Math.exp(all.reduce((sum, { tookMs }) => sum + Math.log(tookMs), 0) / all.length);
    },
    recall: ({ route, timings }) => keep(route, timings),
    changes() {
      const told = [...changed].map((route) => ({ route, timings: routes.get(route) ?? [] }));
      changed.clear();
      return told;
    },
  };
}

/** @param pace - How much longer than their curves the lane's conversions take here. */
function expectedMs(run: Run, timings: readonly Timing[], pace: number): number {
  const { unit, amount: whole } = amountOf(run);
  const usual = usualAmounts[unit];
  const curve = (at: number): number => pace * curveMs(run, at / usual);
  const amount = Math.min(whole, farthest * Math.max(usual, ...timings.map((timing) => timing.amount)));
  let [sum, weights] = [0, curveWeight];
  for (const [index, timing] of timings.entries()) {
    const weight = weightOf(timing, { amount, variant: run.variant }) * ageWeight ** (timings.length - 1 - index);
    sum += weight * Math.log(timing.tookMs / curve(timing.amount));
    weights += weight;
  }
  return curve(amount) * Math.exp(sum / weights);
}

/** 1 if there are few. */
function medianOf(ratios: readonly number[]): number {
  return ratios.length < leastRatios ? 1 : (ratios.toSorted((a, b) => a - b)[ratios.length >> 1] ?? 1);
}

/** In the unit that predicts the duration best. */
function amountOf({ to, pixels, lastsMs, sizeBytes }: Run): { readonly unit: Unit; readonly amount: number } {
  if (lastsMs > 0 && pixels > 0 && formatOf(to)?.kind === "video") return { unit: "film", amount: lastsMs * pixels };
  if (lastsMs > 0) return { unit: "sound", amount: lastsMs };
  if (pixels > 0) return { unit: "pixels", amount: pixels };
  return { unit: "bytes", amount: Math.max(1, sizeBytes) };
}

/** Where the runs of a lane are kept, as multiples of their curves. Stored like those of routes. */
function paceName(lane: string): string {
  return `lane.${lane}.pace`;
}

function nameOf({ from, to }: Pick<Run, "from" | "to">, unit: string): string {
  return `${from}.${to}.${unit}`;
}

/** @param share - Relative to the usual amount. */
function curveMs({ provenMs, lane }: Run, share: number): number {
  return ((provenMs > 0 ? provenMs : (laneUsualMs[lane] ?? unknownLaneMs)) * (1 + share)) / 2;
}

function weightOf(timing: Timing, { amount, variant }: Pick<Timing, "amount" | "variant">): number {
  const distance = Math.log(timing.amount / amount) / Math.log(likeFactor);
  return (timing.variant === variant ? 1 : otherWeight) * (farWeight + (1 - farWeight) * Math.exp((-distance * distance) / 2));
}
