/** Floating-point sound may exceed full scale, which integer formats and players of lossy formats clip. */
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { numberOption } from "../shared/hop-table.ts";
import type { Stream } from "./ffmpeg-streams.ts";

/** Rounding alone, in dB. */
const leastOver = 0.001;
/** Samples between two measurements; FFmpeg drops unfinished ones where the channels of joined recordings change. */
const step = 4096;

const integer = /^(pcm_[su]|flac|alac|tta|wavpack)/;
const lossless = /^(pcm|flac|alac|tta|wavpack)/;

/** Filters that measure the peak before the encoder, if it may be too loud. */
export function peakFilters({ options }: HopTask, sound: Stream, encoder: string, format: string | undefined): readonly string[] {
  const isInteger = integer.test(encoder) && format !== "fltp";
  const isFloat = !lossless.test(sound.codec) || sound.isFloat || (numberOption(options, "volume") ?? 0) > 0;
  const isHeld = lossless.test(encoder) && !isInteger;
  const isLoud = sound.isFloat || (numberOption(options, "volume") ?? 0) > 0;
  if (isHeld || !(isLoud || (isInteger && isFloat))) return [];
  const measured = "astats=metadata=1:reset=0:measure_perchannel=none:measure_overall=Peak_level";
  // FFmpeg may convert to integers before a filter that accepts both, and measure what is clipped.
  return [
    "aformat=sample_fmts=flt|fltp|dbl|dblp",
    `asetnsamples=n=${step}:p=0`,
    measured,
    "ametadata=mode=print:key=lavfi.astats.Overall.Peak_level:file=-",
  ];
}

/** The peak so far in a line of ffmpeg's output, in dB over full scale. */
export function peakOf(line: string): number | undefined {
  const [, decibels] = /^lavfi\.astats\.Overall\.Peak_level=(-?\d+\.\d+)$/.exec(line) ?? [];
  return decibels === undefined ? undefined : Number(decibels);
}

/**
 * By how many dB the sound must be attenuated; 0 leaves it unchanged. Only exact sound is
 * attenuated: a decoder's overshoot, and sound amplified on request, are clipped. Both are noted.
 */
export function tooLoud(task: HopTask, sounds: readonly Stream[], peak: number): number {
  if (peak <= leastOver) return 0;
  const over = peak.toFixed(peak < 0.1 ? 3 : 1);
  if (sounds.some(({ isFloat }) => isFloat) && (numberOption(task.options, "volume") ?? 0) <= 0) {
    task.note("MEDIA_CHANGED", `The audio was made ${over} dB quieter because its peaks exceed full scale.`);
    return peak;
  }
  task.note("MEDIA_CHANGED", `Peaks of up to ${over} dB over full scale were clipped.`);
  return 0;
}
