/** Scales lengths, as decimals and as the 32-bit floats that most formats hold. */
import { inexpressible, invalid } from "../failure.ts";

const outOfRange = "At this scale, the model has numbers that the format cannot store.";

/** In decimal: the factor adds no digits of its own, as 0.1 × 3 does in binary. */
export function scaledText(word: string, factor: number): string {
  return String(scaledNumber(numberIn(word), factor));
}

export function numberIn(word: string): number {
  const value = Number(word);
  if (word === "" || !Number.isFinite(value)) throw invalid("The model has invalid numbers.");
  return value;
}

export function scaledNumber(value: number, factor: number): number {
  const scaled = Number((value * factor).toPrecision(15));
  if (!Number.isFinite(scaled) || (scaled === 0 && value !== 0)) throw inexpressible(outOfRange);
  return scaled;
}

export function scaledFloat(value: number, factor: number): number {
  const scaled = Math.fround(value * factor);
  if (!Number.isFinite(scaled) || (scaled === 0 && value !== 0)) throw inexpressible(outOfRange);
  return scaled;
}
