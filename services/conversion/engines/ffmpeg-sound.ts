/** The part of ffmpeg's arguments that is about sound. */
import { FilemillError } from "#kit/errors.ts";
import type { HopTask } from "../domain/engine.ts";
import type { Container } from "./ffmpeg-container.ts";
import { encoders } from "./ffmpeg-formats.ts";
import type { Stream } from "./ffmpeg-streams.ts";
import { flagOption, numberOption, stringOption } from "./hop-table.ts";

/** Less than this nobody hears, in seconds. */
const leastDelay = 0.02;

/** Codec, filters, rate and channels of a stream of sound; a copy where nothing is to change and the target can hold it. */
export function audioCodecArgs(task: HopTask, sound: Stream, target: Container, film?: Stream): string[] {
  const { options } = task;
  const choice = stringOption(options, "audioCodec");
  const rate = stringOption(options, "sampleRate");
  const bitrate = numberOption(options, "audioBitrate");
  const channels = numberOption(options, "channels");
  const normalise = flagOption(options, "normalise");
  const [volume, depth] = [numberOption(options, "volume") ?? 0, stringOption(options, "bitDepth")];
  const changes = [rate, bitrate, channels, depth].some((value) => value !== undefined);
  const untouched = !changes && !normalise && volume === 0;
  const fits = choice === undefined ? (target.copyAudio?.includes(sound.codec) ?? false) : sound.codec === choice;
  const isLate = target.beginsAtOnce === true && film !== undefined && sound.startSeconds - film.startSeconds > leastDelay;
  if (untouched && fits && !isLate) return ["-c:a", "copy"];
  const encoder = choice === undefined ? target.audio : encoders[choice];
  if (encoder === undefined) throw new FilemillError("INTERNAL", "ffmpeg has no encoder for this target.");
  const [name = "", ...rest] = encoder;
  const filters = [
    ...(isLate ? ["aresample=async=1:first_pts=0"] : []),
    ...(volume === 0 ? [] : [`volume=${volume}dB`]),
    ...(normalise ? ["loudnorm=I=-16:TP=-1.5:LRA=11"] : []),
    // libopus knows no "side" layouts, and some readers tell no layout at all.
    ...(name === "libopus" && sound.channels > 2 ? ["aformat=channel_layouts=7.1|6.1|5.1|5.0|quad|3.0|stereo"] : []),
  ];
  const newRate = rate ?? rateOf(name, normalise, sound.sampleRate);
  const keptChannels =
    channels ??
    (sound.channels > (target.maxChannels ?? 8) ? target.maxChannels : sound.hasLayout ? undefined : Math.min(sound.channels, 2));
  const bits = depth === undefined ? sound : { ...sound, bits: Number(depth), isFloat: false, codec: "pcm" };
  return [
    ...["-c:a", name === "pcm_le" || name === "pcm_be" ? pcmOf(bits, name === "pcm_le" ? "le" : "be", task.hop.to) : name, ...rest],
    ...(filters.length === 0 ? [] : ["-filter:a", filters.join(",")]),
    ...(newRate === undefined ? [] : ["-ar", newRate]),
    ...(keptChannels === undefined ? [] : ["-ac", String(keptChannels)]),
    ...(bitrate === undefined ? defaultRateOf(name, keptChannels ?? sound.channels) : ["-b:a", `${bitrate}k`]),
    ...(name === "flac" || name === "alac" || name === "wavpack" || name === "tta" ? depthArgs(name, bits) : []),
  ];
}

/** loudnorm leaves 192 kHz behind; MPEG layer II knows few rates and says so only by failing. */
function rateOf(encoder: string, normalise: boolean, sampleRate: number): string | undefined {
  if (encoder === "mp2" && ![32_000, 44_100, 48_000].includes(sampleRate)) return "44100";
  if (!normalise) return undefined;
  return encoder === "libopus" ? "48000" : String(Math.min(48_000, sampleRate || 44_100));
}

function pcmOf(sound: Stream, endian: "le" | "be", format: string): string {
  if (sound.isFloat && format !== "aiff") return sound.bits > 32 ? `pcm_f64${endian}` : `pcm_f32${endian}`;
  return sound.bits > 24 ? `pcm_s32${endian}` : sound.bits > 16 ? `pcm_s24${endian}` : `pcm_s16${endian}`;
}

/** Lossy decoders give floats, of which 16 bits are worth keeping. */
function depthArgs(encoder: string, sound: Stream): string[] {
  const isDeep = sound.bits > 16 && (sound.isFloat || /^(pcm|flac|alac|wavpack|tta)/.test(sound.codec));
  const planar = encoder === "alac" || encoder === "wavpack" ? "p" : "";
  return ["-sample_fmt", `${isDeep ? "s32" : "s16"}${planar}`];
}

function defaultRateOf(encoder: string, channels: number): string[] {
  const wide = Math.max(1, channels);
  switch (encoder) {
    case "libmp3lame":
      return ["-q:a", "2"];
    case "libvorbis":
      return ["-q:a", "5"];
    case "aac":
      return ["-b:a", `${Math.min(512, 80 * wide)}k`];
    case "libopus":
      return ["-b:a", `${Math.min(510, 64 * wide)}k`];
    case "wmav2":
      return ["-b:a", "192k"];
    case "mp2":
      return ["-b:a", wide === 1 ? "112k" : "224k"];
    case "ac3":
    case "eac3":
      return ["-b:a", wide > 2 ? "448k" : "192k"];
    default:
      return [];
  }
}
