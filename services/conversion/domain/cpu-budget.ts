import type { Lane } from "./engine.ts";

type Allowance = { readonly seconds: number; readonly secondsPerMb: number };

/**
 * What honest files of a lane may need at the very most, some ten times what the slowest of our samples took. Sound and film have no
 * row: hours of silence are a small file, and their guards bound duration and pixels instead.
 */
const allowances: Readonly<Partial<Record<Lane, Allowance>>> = {
  image: { seconds: 20, secondsPerMb: 20 },
  document: { seconds: 45, secondsPerMb: 15 },
  office: { seconds: 45, secondsPerMb: 30 },
};

/** Processor time for one hop: a file of two kilobytes that needs a minute of every core was made for that. */
export function cpuSecondsOf(lane: Lane, inputBytes: number): number {
  const allowance = allowances[lane];
  return allowance === undefined ? Number.POSITIVE_INFINITY : Math.ceil(allowance.seconds + (allowance.secondsPerMb * inputBytes) / 1e6);
}
