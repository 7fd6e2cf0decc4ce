/** Sample rates: those that encoders accept, and the closest to that of a file. */
import { invalidOption } from "#contract/errors.ts";

const words = (text: string): readonly number[] => text.split(" ").map(Number);

/** By encoder; encoders not listed accept any rate. MPEG layer II has lower rates for speech only. */
const rates: Readonly<Record<string, readonly number[]>> = {
  libmp3lame: words("8000 11025 12000 16000 22050 24000 32000 44100 48000"),
  aac: words("7350 8000 11025 12000 16000 22050 24000 32000 44100 48000 64000 88200 96000"),
  libopus: words("8000 12000 16000 24000 48000"),
  mp2: words("32000 44100 48000"),
  ac3: words("32000 44100 48000"),
  eac3: words("32000 44100 48000"),
};
/** These accept any rate up to a maximum. */
const highest: Readonly<Record<string, number>> = { wmav2: 48_000, libvorbis: 192_000, flac: 655_350 };
/** A lower rate loses audible sound. */
const leastGood = 44_100;

/**
 * The rate to encode with; undefined if the encoder accepts that of the sound.
 *
 * @throws FilemillError INVALID_OPTION if the encoder does not accept the requested rate.
 */
export function rateOf(encoder: string, soundRate: number, asked: number | undefined): number | undefined {
  const allowed = rates[encoder] ?? [];
  const most = highest[encoder] ?? Infinity;
  const takes = (rate: number): boolean => rate <= most && (allowed.length === 0 || allowed.includes(rate));
  if (asked !== undefined) {
    if (takes(asked)) return asked;
    const supported = allowed.length > 0 ? allowed.join(", ") : `up to ${most}`;
    throw invalidOption("sampleRate", `The format does not support this sample rate; it supports ${supported}.`, supported);
  }
  if (takes(soundRate) || soundRate === 0) return undefined;
  const choices =
    allowed.length > 0 ? allowed : [44_100, 48_000, 96_000, 176_400, 192_000, 352_800, 384_000].filter((rate) => rate <= most);
  // Keeping every nth sample is better than interpolating.
  const even = choices.findLast((rate) => rate >= leastGood && soundRate % rate === 0);
  return even ?? choices.find((rate) => rate >= soundRate) ?? choices.at(-1);
}
