/** ffprobe's data about the input, checked before anything is decoded. */
import { FilemillError } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";
import { isoDemuxer } from "./ffmpeg-container.ts";
import { countOf, type Fields, fieldsOf, probe, programsOf, protection, rowsOf, tagsOf, textOf } from "./ffmpeg-probe.ts";

/** Colour properties, as ffprobe names them; empty if the file does not declare them. */
type Colours = {
  readonly matrix: string;
  readonly primaries: string;
  readonly transfer: string;
  readonly range: string;
};

export const trackMarks = ["forced", "hearing_impaired", "visual_impaired", "comment"] as const;
export type TrackMark = (typeof trackMarks)[number];

export type Stream = {
  readonly index: number;
  readonly kind: "audio" | "video" | "subtitle" | "cover";
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
  /** The frame rate of the stream's timebase, at least as high as the average. */
  readonly nominalRate: number;
  /** 0 if unknown. */
  readonly durationSeconds: number;
  /** Start time, on the file's clock. */
  readonly startSeconds: number;
  /** Samples before the end padding, if the container declares it but decoders play it. */
  readonly playedSamples: number | undefined;
  readonly sampleRate: number;
  readonly channels: number;
  /** Channel layout, for example "5.1(side)"; empty if the file does not declare it. */
  readonly layout: string;
  /** Bits per sample; 16 for lossy sound. */
  readonly bits: number;
  readonly isFloat: boolean;
  readonly hasAlpha: boolean;
  /** A decoder to use instead of the default, which would lose something. */
  readonly decoder: string | undefined;
  /** Some frames may be interlaced. */
  readonly mayBeInterlaced: boolean;
  readonly pixelFormat: string;
  readonly colours: Colours;
  /** Width of a pixel by its height; 1 if not declared. */
  readonly pixelAspect: number;
  /** The container declares a rotation, or that the film is mirrored, which is a rotation by 0 degrees. */
  readonly isTurned: boolean;
  /** By 90 degrees: the stored width is the displayed height. */
  readonly isSideways: boolean;
  /** Played unless another of its kind is chosen. */
  readonly isDefault: boolean;
  /** Its purpose or audience, as ffprobe names it. */
  readonly marks: readonly TrackMark[];
  /** As declared, for example "eng"; empty if not. */
  readonly language: string;
  readonly title: string;
};

export type Media = {
  readonly streams: readonly Stream[];
  /** 0 if unknown, as for raw streams. */
  readonly durationSeconds: number;
  /** The file contains more than an edit list lets players show; a copy into another family of formats would show it. */
  readonly isTrimmed: boolean;
  /** The duration is estimated from the file size. */
  readonly isGuessed: boolean;
  readonly tagsAreInStream: boolean;
  /** Of the whole file, by lower-case name. */
  readonly tags: Readonly<Record<string, string>>;
  readonly chapters: readonly { readonly startSeconds: number; readonly title: string }[];
  /** Where FFmpeg reads the chapters, if not from the file itself. */
  readonly chapterList?: string;
  /** Of a broadcast: the indices of each program's streams. */
  readonly programs: readonly (readonly number[])[];
  /** Data tracks and attachments. */
  readonly otherTracks: number;
  /** Of tracks whose codec FFmpeg does not know, such as AC-4 and Matroska's WebVTT. */
  readonly unknownKinds: readonly Stream["kind"][];
  /** Of an animation; `isFine` if any delay is not in whole hundredths of a second. */
  readonly delays?: { readonly frames: number; readonly lastSeconds: number; readonly endSeconds: number; readonly isFine: boolean };
  /** How often an animation is played; 0: forever. */
  readonly plays?: number;
  /** The end of the file is missing, by an unknown amount. */
  readonly isOpen?: boolean;
  /** Damaged places that FFmpeg does not report. */
  readonly damagedPlaces?: number;
  /** Of WAV, AIFF and CAF: data besides the sound and its tags. */
  readonly beside?: Answer<"soundEnd">["beside"];
  /** Of an HDR10 film: what it declares about the display on which it was mastered, and about its content. */
  readonly light?: { readonly display: Fields | undefined; readonly content: Fields | undefined };
  /** By how much to attenuate the sound. */
  readonly quieterDecibels?: number;
  /** Where to start copying for the requested start; absent if the film cannot be copied. */
  readonly copyFromSeconds?: number;
  /** The pass of a two-pass encoding to a size limit. */
  readonly pass?: 1 | 2;
  /** Time of a still; absent for the beginning. */
  readonly shownFromSeconds?: number;
};

export function streamsOf(media: Media, kind: Stream["kind"]): Stream[] {
  return media.streams.filter((stream) => stream.kind === kind);
}

const maxDurationSeconds = 24 * 3600;
const maxFramePixels = 8192 * 4352;
/** A day of small film, or two hours of 4K at 60 frames per second. */
const maxTotalPixels = 4e12;
const entries =
  "format=duration,start_time:format_tags:stream=index,codec_type,codec_name,codec_tag_string,width,height,avg_frame_rate,r_frame_rate,sample_rate,channels,channel_layout,sample_fmt,nb_frames,bits_per_raw_sample,pix_fmt,duration,color_space,color_transfer,color_primaries,color_range,sample_aspect_ratio,field_order,start_time:stream_side_data=rotation:stream_disposition=attached_pic,default,forced,hearing_impaired,visual_impaired,comment:stream_tags:chapter=start_time,end_time:chapter_tags";

/** Goes before the input: selects a decoder that decodes everything, and correctly. */
export const decoderArgs = ({ index, decoder }: Stream): readonly string[] => (decoder === undefined ? [] : [`-c:${index}`, decoder]);

export const mediaBadInput = [
  /Invalid data|moov atom|could not find codec parameters|Error while decoding|Decoding error|corrupt|Header missing|does not contain any stream|Cannot determine format of input stream|End of file/i,
];
/** The file is complete on disk, so reading fails only if it claims to be longer. */
const unreadable = [...mediaBadInput, /: (?:Input\/output error|Invalid argument)$/m, /unknown header size|but channels not set/];

/**
 * @throws FilemillError INVALID_INPUT (unreadable, no streams, protected), INPUT_TOO_COMPLEX.
 */
export async function readMedia(session: ToolSession, task: HopTask, demuxer: string): Promise<Media> {
  const { answer, end } = await probe(session, demuxer, inputInside, `${entries}:${protection.entries}`, protection.args);
  if (protection.isIn(answer, end.stderr)) {
    throw new FilemillError("INVALID_INPUT", "The file is protected by digital rights management and cannot be converted.");
  }
  const media = mediaOf(answer, demuxer);
  if (rowsOf(fieldsOf(answer.streams).stream).length === 0) {
    const message = `The file is damaged or is not ${task.input.format.toUpperCase()}.`;
    throwIfFailed(end, unreadable, message);
    throw new FilemillError("INVALID_INPUT", message);
  }
  assertBounds(media);
  return { ...media, isGuessed: /Estimating duration from bitrate/.test(end.stderr) };
}

/** Probes a result like an input. */
export async function readResult(session: ToolSession, demuxer: string, path: string): Promise<Media> {
  return mediaOf((await probe(session, demuxer, path, entries)).answer, demuxer);
}

function mediaOf(answer: Fields, demuxer: string): Media {
  const rows = rowsOf(fieldsOf(answer.streams).stream);
  const format = fieldsOf(answer.format);
  const streams = rows.flatMap(streamOf);
  const inStream = demuxer === "ogg" ? tagsOf(rows[0]?.tags) : {};
  // The clock of a film cut out of a longer one may start late, and Matroska states the end instead of the duration.
  const lateSeconds = demuxer === "matroska" ? Math.max(0, countOf(format.start_time)) : 0;
  return {
    streams,
    durationSeconds: Math.max(0, countOf(format.duration) - lateSeconds, ...rows.map((row) => countOf(row.duration))),
    isTrimmed: demuxer === isoDemuxer && rows.some(isTrimmed),
    isGuessed: false,
    tagsAreInStream: demuxer === "ogg",
    tags: { ...tagsOf(format.tags), ...inStream },
    chapters: rowsOf(fieldsOf(answer.chapters).chapter).map((row) => ({
      startSeconds: countOf(row.start_time),
      title: textOf(fieldsOf(row.tags).title),
    })),
    programs: programsOf(answer),
    otherTracks: rows.filter(isOther).length,
    unknownKinds: rows.flatMap((row) => (textOf(row.codec_name) === "" ? (kindOf(row) ?? []) : [])),
  };
}

/** Time codes and chapter titles are tracks only to the container. */
const isOther = ({ codec_type, codec_tag_string }: Fields): boolean =>
  codec_type === "attachment" || (codec_type === "data" && !/^(tmcd|text)$/.test(textOf(codec_tag_string)));

function streamOf(row: Fields): Stream[] {
  const kind = kindOf(row);
  const codec = textOf(row.codec_name);
  if (kind === undefined || codec === "") return [];
  const sampleFormat = textOf(row.sample_fmt);
  const rotations = rowsOf(fieldsOf(row.side_data_list).side_data).flatMap(({ rotation }) =>
    rotation === undefined ? [] : [countOf(rotation)],
  );
  // Decoders of lossy sound output floats or 16 bits.
  const isLossy = !/^(pcm|flac|alac|wavpack|tta|dsd|mlp|truehd)/.test(codec) && !sampleFormat.startsWith("s32");
  return [
    {
      index: countOf(row.index),
      kind,
      codec,
      width: countOf(row.width),
      height: countOf(row.height),
      framesPerSecond: rateOf(textOf(row.avg_frame_rate)) || rateOf(textOf(row.r_frame_rate)),
      nominalRate: rateOf(textOf(row.r_frame_rate)),
      startSeconds: countOf(row.start_time),
      durationSeconds: countOf(row.duration) || toldSeconds(row),
      playedSamples: playedSamplesOf(row),
      sampleRate: countOf(row.sample_rate),
      channels: countOf(row.channels),
      layout: textOf(row.channel_layout),
      bits: isLossy ? 16 : bitsOf(sampleFormat, countOf(row.bits_per_raw_sample)),
      isFloat: !isLossy && /^(flt|dbl)/.test(sampleFormat),
      isDefault: fieldsOf(row.disposition).default === 1,
      marks: trackMarks.filter((mark) => fieldsOf(row.disposition)[mark] === 1),
      language: textOf(fieldsOf(row.tags).language).slice(0, 16),
      title: textOf(fieldsOf(row.tags).title),
      pixelFormat: textOf(row.pix_fmt),
      colours: coloursOf(row),
      pixelAspect: rateOf(textOf(row.sample_aspect_ratio).replace(":", "/")) || 1,
      hasAlpha: /^(yuva|rgba|bgra|argb|abgr|gbrap|ya|pal8)/.test(textOf(row.pix_fmt)) || isLayered(row),
      decoder: isLayered(row) ? `libvpx${codec === "vp9" ? "-vp9" : ""}` : undefined,
      mayBeInterlaced: mayBeInterlaced(textOf(row.field_order), codec),
      isTurned: rotations.length > 0,
      isSideways: rotations.some((rotation) => Math.abs(rotation) % 180 === 90),
    },
  ];
}

const aacFrame = 1024;
/** At both ends of the sound. */
const mostPadding = 5;

/**
 * FFmpeg removes the padding before AAC in MP4, but not that after it. The
 * declared duration may be short by one tick of the movie clock, often 1 ms.
 */
function playedSamplesOf(row: Fields): number | undefined {
  const [rate, frames, seconds] = [countOf(row.sample_rate), countOf(row.nb_frames), countOf(row.duration)];
  const padding = frames * aacFrame - seconds * rate;
  if (row.codec_name !== "aac" || !(padding > 0 && padding < mostPadding * aacFrame)) return undefined;
  const isInMs = Math.abs(seconds * 1000 - Math.round(seconds * 1000)) < 1000 / rate;
  return Math.round((seconds + (isInMs ? 0.001 : 0)) * rate);
}

const leastTrimmedSeconds = 0.15;
/** Whether a track has frames for longer than it is played, by more than an encoder's padding. Phones trim films this way. */
function isTrimmed(row: Fields): boolean {
  const isAac = row.codec_name === "aac";
  const frameSeconds = isAac ? aacFrame / countOf(row.sample_rate) : 1 / rateOf(textOf(row.avg_frame_rate));
  const least = Math.max(leastTrimmedSeconds, isAac ? mostPadding * frameSeconds : 0);
  return Number.isFinite(frameSeconds) && countOf(row.nb_frames) * frameSeconds - countOf(row.duration) > least;
}

function bitsOf(sampleFormat: string, told: number): number {
  if (sampleFormat.startsWith("dbl")) return 64;
  return told || (/^(s32|flt)/.test(sampleFormat) ? 32 : 16);
}

/** VP8 and VP9 store alpha in a separate stream, which only their own decoders read. */
function isLayered({ codec_name, tags }: Fields): boolean {
  return /^vp[89]$/.test(textOf(codec_name)) && [fieldsOf(tags).alpha_mode, fieldsOf(tags).ALPHA_MODE].includes("1");
}

/** DV declares interlacing only within its frames. */
const mayBeInterlaced = (order: string, codec: string): boolean => /^(tt|bb|tb|bt)$/.test(order) || codec === "dvvideo";

function coloursOf(row: Fields): Colours {
  const told = (value: unknown) => textOf(value).replace(/^unknown$/, "");
  const [matrix, primaries] = [told(row.color_space), told(row.color_primaries)];
  return { matrix, primaries, transfer: told(row.color_transfer), range: told(row.color_range) };
}

function kindOf({ codec_type: type, disposition }: Fields): Stream["kind"] | undefined {
  if (type === "video" && fieldsOf(disposition).attached_pic === 1) return "cover";
  return type === "audio" || type === "video" || type === "subtitle" ? type : undefined;
}

/** Of a Matroska track. MKVToolNix tags the duration, others the end. */
function toldSeconds({ start_time, tags }: Fields): number {
  const { DURATION, _STATISTICS_WRITING_APP: counter } = fieldsOf(tags);
  return Math.max(0, secondsOf(textOf(DURATION)) - (counter === undefined ? Math.max(0, countOf(start_time)) : 0));
}

/** From hours, minutes and seconds, as in Matroska. */
function secondsOf(clock: string): number {
  const [, hours, minutes, seconds] = /^(\d{1,4}):(\d\d):(\d\d\.\d{1,9})$/.exec(clock) ?? [];
  return countOf(hours) * 3600 + countOf(minutes) * 60 + countOf(seconds);
}

function rateOf(fraction: string): number {
  const [above = "", below = ""] = fraction.split("/");
  const rate = countOf(above) / countOf(below);
  return Number.isFinite(rate) ? rate : 0;
}

function assertBounds(media: Media): void {
  if (media.durationSeconds > maxDurationSeconds) throw new FilemillError("INPUT_TOO_COMPLEX", "The file claims to be longer than a day.");
  for (const { kind, width, height, framesPerSecond } of media.streams) {
    if (kind !== "video" && kind !== "cover") continue;
    const pixels = width * height;
    const total = pixels * Math.min(framesPerSecond, 240) * media.durationSeconds;
    if (pixels > maxFramePixels || total > maxTotalPixels) throw new FilemillError("INPUT_TOO_COMPLEX", "The video has too many pixels.");
  }
}
