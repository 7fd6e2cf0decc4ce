/** Signal-to-noise ratio of one recording relative to another, after alignment. */
import type { Sound } from "./media.ts";

const workRate = 16_000;
const maxLagS = 0.2;

/** In dB, 99 for equal samples; level and a delay of up to a fifth of a second are compensated, because codecs change either. */
export function signalToNoise(wanted: Sound, found: Sound): number {
  if (isSame(wanted, found)) return 99;
  const [a, b] = [monoOf(wanted), monoOf(found)];
  const lag = bestLag(a, b);
  const start = Math.max(0, -lag);
  const end = Math.min(a.length, b.length - lag);
  // Encoders fade in and out over a few milliseconds.
  const margin = Math.min(800, Math.floor((end - start) / 10));
  let [product, power, energy] = [0, 0, 0];
  for (let at = start + margin; at < end - margin; at++) {
    const [left, right] = [a[at] ?? 0, b[at + lag] ?? 0];
    product += left * right;
    power += right * right;
    energy += left * left;
  }
  if (power === 0 || energy === 0) return 0;
  const noise = Math.max(1e-9, energy - product ** 2 / power);
  return product <= 0 ? 0 : Math.min(89, 10 * Math.log10(energy / noise));
}

/** Bit by bit, except for what a container pads or cuts within the last fifth of a second. */
function isSame(a: Sound, b: Sound): boolean {
  if (a.rate !== b.rate || a.channels !== b.channels) return false;
  const length = Math.min(a.samples.length, b.samples.length);
  if (length === 0 || Math.abs(a.samples.length - b.samples.length) > a.rate * a.channels * 0.05) return false;
  for (let at = 0; at < length; at++) if (a.samples[at] !== b.samples[at]) return false;
  return true;
}

const monos = new WeakMap<Sound, Float32Array>();

/** Mean of all channels, through a filter that keeps what both rates can represent. Cached per recording, as one is compared with many. */
function monoOf(sound: Sound): Float32Array {
  const known = monos.get(sound) ?? monoAt(sound, workRate);
  monos.set(sound, known);
  return known;
}

function monoAt({ samples, channels, rate }: Sound, target: number): Float32Array {
  const frames = Math.floor(samples.length / channels);
  const mono = new Float32Array(frames);
  for (let frame = 0; frame < frames; frame++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) sum += samples[frame * channels + channel] ?? 0;
    mono[frame] = sum / channels;
  }
  const filters = filtersOf(rate, target);
  return Float32Array.from({ length: Math.floor((frames * target) / rate) }, (_, index) => {
    const { offset, weights } = filters[index % filters.length] ?? { offset: 0, weights: [] };
    const first = Math.floor(index / filters.length) * (rate / divisorOf(rate, target)) + offset;
    let [sum, total] = [0, 0];
    for (let at = 0; at < weights.length; at++) {
      const weight = weights[at] ?? 0;
      sum += weight * (mono[first + at] ?? 0);
      total += weight;
    }
    return total === 0 ? 0 : sum / total;
  });
}

type Filter = { readonly offset: number; readonly weights: readonly number[] };

/** One filter for each position that a new sample may have between two old ones; then they repeat. */
function filtersOf(rate: number, target: number): readonly Filter[] {
  const half = 12;
  const cut = Math.min(1, target / rate, 7000 / rate);
  return Array.from({ length: target / divisorOf(rate, target) }, (_, phase) => {
    const middle = (phase * rate) / target;
    const offset = Math.ceil(middle - half / cut);
    const length = Math.floor(middle + half / cut) - offset + 1;
    const weights = Array.from({ length }, (_, index) => {
      const distance = (offset + index - middle) * cut;
      return sinc(distance) * sinc(distance / half);
    });
    return { offset, weights };
  });
}

function divisorOf(a: number, b: number): number {
  return b === 0 ? a : divisorOf(b, a % b);
}

function sinc(x: number): number {
  return Math.abs(x) < 1e-9 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** Coarsely with every fourth sample, then exactly around the best. */
function bestLag(a: Float32Array, b: Float32Array): number {
  const most = Math.round(maxLagS * workRate);
  let best = 0;
  let bestSum = -Infinity;
  const tryLag = (lag: number, stride: number) => {
    let sum = 0;
    for (let at = Math.max(0, -lag); at < a.length && at + lag < b.length; at += stride) sum += (a[at] ?? 0) * (b[at + lag] ?? 0);
    if (sum > bestSum) [best, bestSum] = [lag, sum];
  };
  for (let lag = -most; lag <= most; lag += 2) tryLag(lag, 4);
  const around = best;
  bestSum = -Infinity;
  for (let lag = around - 40; lag <= around + 40; lag++) tryLag(lag, 1);
  return best;
}
