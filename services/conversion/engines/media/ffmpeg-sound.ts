/** The audio part of ffmpeg's arguments. */
import { FilemillError } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { flagOption, numberOption, stringOption } from "../shared/hop-table.ts";
import { type Container, holdsEdits } from "./ffmpeg-container.ts";
import { encoders } from "./ffmpeg-formats.ts";
import { doubled, speedOf, tempoFilters, unclipped, withOwnSound } from "./ffmpeg-own.ts";
import { peakFilters } from "./ffmpeg-peaks.ts";
import { rateOf } from "./ffmpeg-rates.ts";
import type { Media, Stream } from "./ffmpeg-streams.ts";

/** A shorter delay is inaudible, in seconds. */
const leastDelay = 0.02;

/** Codec, filters, rate and channels of an audio stream; a copy if nothing changes and the target can hold it. */
export function audioCodecArgs(task: HopTask, media: Media, sound: Stream, container: Container): string[] {
  const { options } = task;
  const target = withOwnSound(task, container, sound);
  const choice = stringOption(options, "audioCodec");
  const asked = ["sampleRate", "audioBitrate", "channels", "bitDepth"].some((name) => options[name] !== undefined);
  const untouched = !asked && speedOf(task) === 1 && !flagOption(options, "normalise") && (numberOption(options, "volume") ?? 0) === 0;
  const fits = choice === undefined ? (target.copyAudio?.includes(sound.codec) ?? false) : sound.codec === choice;
  // Lossless packets are long: a copy would start and end elsewhere than requested.
  const cuts = target.exact === true && (options.start !== undefined || options.duration !== undefined);
  const isWhole = !media.isTrimmed || holdsEdits(target);
  if (untouched && fits && !cuts && isWhole && sound.decoder === undefined && !isLate(media, sound, target)) return ["-c:a", "copy"];
  const encoder = choice === undefined ? target.audio : encoders[choice];
  if (encoder === undefined) throw new FilemillError("INTERNAL", "ffmpeg has no encoder for this target.");
  const [name = "", ...rest] = encoder;
  const bitrate = numberOption(options, "audioBitrate");
  const channels = keptChannels(name, sound, target, numberOption(options, "channels"));
  const depth = stringOption(options, "bitDepth");
  const bits = depth === undefined ? sound : { ...sound, bits: Number(depth), isFloat: false };
  const codec = name === "pcm_le" || name === "pcm_be" ? pcmOf(bits, name === "pcm_le" ? "le" : "be", task.hop.to) : name;
  const format = sampleFormatOf(name, bits);
  const rate = newRate(task, name, sound);
  const filters = soundFilters(task, media, sound, { target, codec, format, rate });
  return [
    ...["-c:a", codec, ...rest],
    ...(filters.length === 0 ? [] : ["-filter:a", filters.join(",")]),
    ...(rate === undefined ? [] : ["-ar", String(rate)]),
    ...(channels === undefined ? [] : ["-ac", String(channels)]),
    ...(bitrate === undefined ? defaultRateOf(name, channels ?? sound.channels) : ["-b:a", `${bitrate}k`]),
    ...(format === undefined ? [] : ["-sample_fmt", format]),
  ];
}

/** Among several tracks, the film itself may begin late, with this one. */
function isLate({ streams }: Media, sound: Stream, target: Container): boolean {
  const shown = streams.filter(({ kind }) => kind === "video" || kind === "audio");
  const isFilm = shown.some(({ kind }) => kind === "video");
  const begin = Math.min(...shown.map(({ startSeconds }) => startSeconds));
  return target.beginsAtOnce === true && isFilm && sound.startSeconds - begin > leastDelay;
}

type Encoding = {
  readonly target: Container;
  readonly codec: string;
  readonly format: string | undefined;
  readonly rate: number | undefined;
};

function soundFilters(task: HopTask, media: Media, sound: Stream, { target, codec, format, rate }: Encoding): readonly string[] {
  const { options } = task;
  const volume = numberOption(options, "volume") ?? 0;
  const peaks = peakFilters(task, sound, codec, format);
  const places = placesOf(codec, sound);
  const isPart = options.start !== undefined || options.duration !== undefined;
  const isFilm = media.streams.some(({ kind }) => kind === "video");
  const isPadded = sound.playedSamples !== undefined && !isPart && !isFilm;
  const isLed = codec === "wmav2" && !isFilm;
  return [
    ...(isPadded ? [`atrim=end_sample=${sound.playedSamples}`] : []),
    // FFmpeg drops the first frames of WMA, and M4A would begin with silence in their place.
    ...(!isFilm && sound.codec.startsWith("wma") ? ["asetpts=PTS-STARTPTS"] : []),
    ...(places === undefined ? [] : [places]),
    ...(sound.channels === 1 && numberOption(options, "channels") === 2 ? [doubled] : []),
    ...(isLate(media, sound, target) ? [`aresample=async=1:first_pts=0:${unclipped}`] : []),
    ...tempoFilters(task),
    ...(volume === 0 ? [] : [`volume=${volume}dB`]),
    ...(flagOption(options, "normalise") ? ["loudnorm=I=-16:TP=-1.5:LRA=11"] : []),
    // libopus does not support "side" layouts, and 6.1 gets its channels in a wrong order.
    ...(codec === "libopus" && sound.channels > 2 ? ["aformat=channel_layouts=7.1|5.1|5.0|quad|3.0|stereo"] : []),
    // Resampling can create higher peaks.
    ...((peaks.length === 0 && !isLed) || rate === undefined ? [] : [`aresample=${rate}:${unclipped}`]),
    ...(isLed ? [`adelay=delays=${wmaFrame(rate ?? sound.sampleRate)}S:all=1`] : []),
    ...(media.quieterDecibels === undefined ? [] : [`volume=-${media.quieterDecibels}dB:precision=double`]),
    ...peaks,
  ];
}

/** MP4 stores the end of sound in units of the movie timescale: one unit per sample makes it exact. */
export function clockArgs(task: HopTask, { muxer }: Container, sound: Stream): readonly string[] {
  const rate = Number(stringOption(task.options, "sampleRate") ?? sound.sampleRate);
  return muxer === "ipod" && rate > 0 ? ["-movie_timescale", String(rate)] : [];
}

/** Samples per WMA frame: decoders skip two at the start, but ffmpeg's encoder adds only one. */
const wmaFrame = (rate: number): number => (rate <= 16_000 ? 512 : rate <= 22_050 ? 1024 : 2048);

/** The sample rate to write; loudnorm outputs 192 kHz. */
function newRate({ options }: HopTask, encoder: string, sound: Stream): number | undefined {
  const asked = stringOption(options, "sampleRate");
  const rate = rateOf(encoder, sound.sampleRate, asked === undefined ? undefined : Number(asked));
  return rate ?? (flagOption(options, "normalise") ? sound.sampleRate || 48_000 : undefined);
}

/** Channel layouts that encoders accept, by the number of channels from 3. */
const usualPlaces = ["3.0", "quad", "5.0", "5.1", "6.1", "7.1"];
/** These encoders use their own. */
const otherPlaces: Readonly<Record<string, string>> = { quad: "4.0", "6.1": "6.1(back)", "7.1": "7.1(wide)" };

/** Encoders that accept any layout. */
const holdsAnyPlace = /^(pcm|flac|wavpack|tta)/;

/** The filter that assigns a layout if the file declares none: otherwise some encoders refuse the channels and others mix them. */
function placesOf(encoder: string, { channels, layout }: Stream): string | undefined {
  // One channel is centre and two are left and right, whatever is declared or not; some encoders refuse other layouts, and Speex has none.
  const plain = ["mono", "stereo"][channels - 1];
  if (plain !== undefined && layout !== plain && !holdsAnyPlace.test(encoder)) return channelMap(channels, plain);
  // Elsewhere, FFmpeg's encoder describes a layout of its own, which players do not know.
  if (encoder === "aac" && /^5\.[01]\(side\)$/.test(layout)) return channelMap(channels, layout.slice(0, 3));
  const usual = usualPlaces[channels - 3];
  if (layout !== "" || usual === undefined) return undefined;
  const places = /^(alac|aac|e?ac3)$/.test(encoder) && (usual === "quad" || encoder === "alac") ? (otherPlaces[usual] ?? usual) : usual;
  return channelMap(channels, places);
}

function channelMap(channels: number, places: string): string {
  return `channelmap=map=${Array.from({ length: channels }, (_none, channel) => channel).join("|")}:channel_layout=${places}`;
}

/** Encoders that accept any number of channels. */
const takesAll = /^(pcm|tta)/;
/** Above this there is no standard layout to mix by. */
const mostPlaces = 8;

/**
 * How many channels to write; undefined if all are kept.
 *
 * @throws FilemillError INPUT_TOO_COMPLEX
 */
function keptChannels(encoder: string, sound: Stream, target: Container, asked: number | undefined): number | undefined {
  const most = asked ?? target.maxChannels ?? (takesAll.test(encoder) ? Infinity : mostPlaces);
  if (sound.channels > mostPlaces && most !== sound.channels && most !== Infinity) {
    const message = `The audio has ${sound.channels} channels, which can only be kept as they are; the format supports up to ${most}, WAV and CAF support all.`;
    throw new FilemillError("INPUT_TOO_COMPLEX", message);
  }
  return sound.channels > most ? most : asked;
}

function pcmOf(sound: Stream, endian: "le" | "be", format: string): string {
  if (sound.isFloat && format !== "aiff") return sound.bits > 32 ? `pcm_f64${endian}` : `pcm_f32${endian}`;
  return sound.bits > 24 ? `pcm_s32${endian}` : sound.bits > 16 ? `pcm_s24${endian}` : `pcm_s16${endian}`;
}

/** For encoders with a choice. Lossy decoders output floats, of which 16 bits are worth keeping. */
function sampleFormatOf(encoder: string, { bits, isFloat }: Stream): string | undefined {
  const format = bits > 16 ? "s32" : "s16";
  switch (encoder) {
    case "wavpack":
      return isFloat ? "fltp" : `${format}p`;
    case "alac":
      return `${format}p`;
    case "flac":
    case "tta":
      return format;
    default:
      return undefined;
  }
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
