/** What ffprobe says of the input, checked before anything is decoded. */
import { FilemillError } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";
import { countOf, type Fields, fieldsOf, probe, rowsOf, textOf } from "./ffmpeg-probe.ts";

/** What the numbers of a picture mean, as ffprobe names them; empty where the file does not say. */
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
  /** Of the steps in which the pictures come; as great as that or greater. */
  readonly nominalRate: number;
  /** 0: not told. */
  readonly durationSeconds: number;
  /** When it begins, in the time of the file. */
  readonly startSeconds: number;
  /** Samples before the padding in the last frames, where the container marks it and decoders play it all the same. */
  readonly playedSamples: number | undefined;
  readonly sampleRate: number;
  readonly channels: number;
  /** Where the channels stand, for example "5.1(side)"; empty when the file does not say. */
  readonly layout: string;
  /** Of a sample; 16 of what was never exact. */
  readonly bits: number;
  readonly isFloat: boolean;
  readonly hasAlpha: boolean;
  /** Another decoder than the usual one, without which something would be lost. */
  readonly decoder: string | undefined;
  /** Some of its pictures may be two half ones in turn. */
  readonly mayBeInterlaced: boolean;
  readonly pixelFormat: string;
  readonly colours: Colours;
  /** Pixels are as wide as they are high. */
  readonly isSquare: boolean;
  /** The container says that players turn the picture. */
  readonly isTurned: boolean;
  /** By a quarter: what is stored as its width is seen as its height. */
  readonly isSideways: boolean;
  /** Played unless somebody chooses another of its kind. */
  readonly isDefault: boolean;
  /** For whom or when it is, as ffprobe names it. */
  readonly marks: readonly TrackMark[];
  /** As the file says, for example "eng"; empty when it does not. */
  readonly language: string;
  readonly title: string;
};

export type Media = {
  readonly streams: readonly Stream[];
  /** 0: not told, as for raw streams. */
  readonly durationSeconds: number;
  /** The duration follows from the size of the file alone. */
  readonly isGuessed: boolean;
  readonly tagsAreInStream: boolean;
  /** Of the whole file, by lower-case name. */
  readonly tags: Readonly<Record<string, string>>;
  readonly chapters: readonly { readonly startSeconds: number; readonly title: string }[];
  /** Where FFmpeg is to read the chapters, if not from the file itself. */
  readonly chapterList?: string;
  /** Data, and files that are attached. */
  readonly otherTracks: number;
  /** Of an animation; fine ones are no hundredths of a second. */
  readonly delays?: { readonly frames: number; readonly lastSeconds: number; readonly endSeconds: number; readonly isFine: boolean };
  /** How often an animation is played, 0 for ever. */
  readonly plays?: number;
  /** The end of the file is missing, and nothing says how much that is. */
  readonly isOpen?: boolean;
  /** Of WAV, AIFF and CAF: what stands beside the sound and its tags. */
  readonly beside?: Answer<"soundEnd">["beside"];
  /** By how much the sound is to be made quieter. */
  readonly quieterDecibels?: number;
  /** From where the film can be copied that begins where it is asked to; absent: from nowhere. */
  readonly copyFromSeconds?: number;
  /** Which of two, for a film that is to have so many bytes. */
  readonly pass?: 1 | 2;
  /** When a still is to be taken; absent: at the beginning. */
  readonly shownFromSeconds?: number;
};

export function streamsOf(media: Media, kind: Stream["kind"]): Stream[] {
  return media.streams.filter((stream) => stream.kind === kind);
}

const maxDurationSeconds = 24 * 3600;
const maxFramePixels = 8192 * 4352;
/** A day of small film, two hours of 4K at 60 pictures a second. */
const maxTotalPixels = 4e12;
const entries =
  "format=duration:format_tags:stream=index,codec_type,codec_name,codec_tag_string,width,height,avg_frame_rate,r_frame_rate,sample_rate,channels,channel_layout,sample_fmt,nb_frames,bits_per_raw_sample,pix_fmt,duration,color_space,color_transfer,color_primaries,color_range,sample_aspect_ratio,field_order,start_time:stream_side_data=rotation:stream_disposition=attached_pic,default,forced,hearing_impaired,visual_impaired,comment:stream_tags:chapter=start_time,end_time:chapter_tags";

/** Goes before the file: with it everything is decoded that the film has. */
export const decoderArgs = (film: Stream | undefined): readonly string[] =>
  film?.decoder === undefined ? [] : [`-c:${film.index}`, film.decoder];

export const mediaBadInput = [
  /Invalid data|moov atom|could not find codec parameters|Error while decoding|Decoding error|corrupt|Header missing|does not contain any stream|Cannot determine format of input stream|End of file/i,
];
/** Of a file that is whole on the disk, reading fails only where it says that there is more. */
const unreadable = [...mediaBadInput, /: (?:Input\/output error|Invalid argument)$/m, /unknown header size|but channels not set/];

/**
 * @throws FilemillError INVALID_INPUT (unreadable, no streams, protected), INPUT_TOO_COMPLEX.
 */
export async function readMedia(session: ToolSession, task: HopTask, demuxer: string): Promise<Media> {
  const { answer, end } = await probe(session, demuxer, inputInside, entries);
  const media = mediaOf(answer, demuxer);
  if (rowsOf(fieldsOf(answer.streams).stream).length === 0) {
    const message = `The file is damaged or is not ${task.input.format.toUpperCase()}.`;
    throwIfFailed(end, unreadable, message);
    throw new FilemillError("INVALID_INPUT", message);
  }
  if (rowsOf(fieldsOf(answer.streams).stream).some((row) => /^(enc[avts]|drm[si])$/.test(textOf(row.codec_tag_string)))) {
    throw new FilemillError("INVALID_INPUT", "The file is protected by digital rights management and cannot be converted.");
  }
  assertBounds(media);
  return { ...media, isGuessed: /Estimating duration from bitrate/.test(end.stderr) };
}

/** What a result says of itself, as an input does. */
export async function readResult(session: ToolSession, demuxer: string, path: string): Promise<Media> {
  return mediaOf((await probe(session, demuxer, path, entries)).answer, demuxer);
}

function mediaOf(answer: Fields, demuxer: string): Media {
  const rows = rowsOf(fieldsOf(answer.streams).stream);
  const format = fieldsOf(answer.format);
  const streams = rows.flatMap(streamOf);
  const inStream = demuxer === "ogg" ? tagsOf(rows[0]?.tags) : {};
  return {
    streams,
    durationSeconds: Math.max(0, ...[format.duration, ...rows.map((row) => row.duration)].map(countOf)),
    isGuessed: false,
    tagsAreInStream: demuxer === "ogg",
    tags: { ...tagsOf(format.tags), ...inStream },
    chapters: rowsOf(fieldsOf(answer.chapters).chapter).map((row) => ({
      startSeconds: countOf(row.start_time),
      title: textOf(fieldsOf(row.tags).title),
    })),
    otherTracks: rows.filter(isOther).length,
  };
}

/** Time codes and the titles of chapters are no tracks of their own to anybody but the container. */
const isOther = ({ codec_type, codec_tag_string }: Fields): boolean =>
  codec_type === "attachment" || (codec_type === "data" && !/^(tmcd|text)$/.test(textOf(codec_tag_string)));

const tagsOf = (tags: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(fieldsOf(tags)).map(([name, value]) => [name.toLowerCase(), String(value)]));

function streamOf(row: Fields): Stream[] {
  const kind = kindOf(row);
  const codec = textOf(row.codec_name);
  if (kind === undefined || codec === "") return [];
  const sampleFormat = textOf(row.sample_fmt);
  const rotations = rowsOf(fieldsOf(row.side_data_list).side_data).map((data) => countOf(data.rotation));
  const isLossy = !/^(pcm|flac|alac|wavpack|tta|dsd|mlp|truehd)/.test(codec);
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
      durationSeconds: countOf(row.duration) || secondsOf(textOf(fieldsOf(row.tags).DURATION)),
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
      isSquare: /^(1:1|0:1|N\/A|)$/.test(textOf(row.sample_aspect_ratio)),
      hasAlpha: /^(yuva|rgba|bgra|argb|abgr|gbrap|ya|pal8)/.test(textOf(row.pix_fmt)) || isLayered(row),
      decoder: isLayered(row) ? `libvpx${codec === "vp9" ? "-vp9" : ""}` : undefined,
      mayBeInterlaced: mayBeInterlaced(textOf(row.field_order), codec),
      isTurned: rotations.some((rotation) => rotation !== 0),
      isSideways: rotations.some((rotation) => Math.abs(rotation) % 180 === 90),
    },
  ];
}

const aacFrame = 1024;
/** Before and behind the sound. */
const mostPadding = 5;

/** FFmpeg leaves out the padding before AAC in MP4, and not that behind it. A beat of a movie's clock, often 1 ms, may be missing in what is told. */
function playedSamplesOf(row: Fields): number | undefined {
  const [rate, frames, seconds] = [countOf(row.sample_rate), countOf(row.nb_frames), countOf(row.duration)];
  const padding = frames * aacFrame - seconds * rate;
  if (row.codec_name !== "aac" || !(padding > 0 && padding < mostPadding * aacFrame)) return undefined;
  const isInMs = Math.abs(seconds * 1000 - Math.round(seconds * 1000)) < 1000 / rate;
  return Math.round((seconds + (isInMs ? 0.001 : 0)) * rate);
}

function bitsOf(sampleFormat: string, told: number): number {
  if (sampleFormat.startsWith("dbl")) return 64;
  return told || (/^(s32|flt)/.test(sampleFormat) ? 32 : 16);
}

/** VP8 and VP9 have their transparency in a film of its own, which only their own decoders look for. */
function isLayered({ codec_name, tags }: Fields): boolean {
  return /^vp[89]$/.test(textOf(codec_name)) && [fieldsOf(tags).alpha_mode, fieldsOf(tags).ALPHA_MODE].includes("1");
}

/** DV says it in its pictures alone. */
const mayBeInterlaced = (order: string, codec: string): boolean => /^(tt|bb|tb|bt)$/.test(order) || codec === "dvvideo";

function coloursOf(row: Fields): Colours {
  const told = (value: unknown) => textOf(value).replace(/^unknown$/, "");
  const [matrix, primaries] = [told(row.color_space), told(row.color_primaries)];
  return { matrix, primaries, transfer: told(row.color_transfer), range: told(row.color_range) };
}

function kindOf(row: Fields): Stream["kind"] | undefined {
  switch (row.codec_type) {
    case "audio":
      return "audio";
    case "video":
      return fieldsOf(row.disposition).attached_pic === 1 ? "cover" : "video";
    case "subtitle":
      return "subtitle";
    default:
      return undefined;
  }
}

/** Of hours, minutes and seconds, as Matroska has them. */
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
