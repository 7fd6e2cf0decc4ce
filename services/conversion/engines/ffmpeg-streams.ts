/** What ffprobe says of the input, checked before anything is decoded. */
import { FilemillError } from "#kit/errors.ts";
import type { HopTask } from "../domain/engine.ts";
import { throwIfFailed } from "./bad-input.ts";
import { whiteListOf } from "./ffmpeg-formats.ts";
import { inputInside, type ToolSession } from "./tool-run.ts";

/** What the numbers of a picture mean, as ffprobe names them; empty where the file does not say. */
type Colours = {
  readonly matrix: string;
  readonly primaries: string;
  readonly transfer: string;
  readonly range: string;
};

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
  readonly sampleRate: number;
  readonly channels: number;
  readonly hasLayout: boolean;
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
  /** Played unless somebody chooses another of its kind. */
  readonly isDefault: boolean;
  /** As the file says, for example "eng"; empty when it does not. */
  readonly language: string;
};

export type Media = {
  readonly streams: readonly Stream[];
  /** 0: not told, as for raw streams. */
  readonly durationSeconds: number;
  readonly tagsAreInStream: boolean;
  /** Of an animation. */
  readonly delays?: { readonly frames: number; readonly lastSeconds: number; readonly endSeconds: number };
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
/** The sandbox keeps no more; a film with fifty streams needs a quarter. */
const longestAnswer = 65_536;
const entries =
  "format=duration:stream=index,codec_type,codec_name,codec_tag_string,width,height,avg_frame_rate,r_frame_rate,sample_rate,channels,channel_layout,sample_fmt,bits_per_raw_sample,pix_fmt,duration,color_space,color_transfer,color_primaries,color_range,sample_aspect_ratio,field_order,start_time:stream_side_data=rotation:stream_disposition=attached_pic,default:stream_tags=language,alpha_mode,DURATION";

export const inputArgs = (demuxer: string): readonly string[] => [
  "-protocol_whitelist",
  "file",
  "-format_whitelist",
  whiteListOf(demuxer),
  "-f",
  demuxer,
];

/** Goes before the file: with it everything is decoded that the film has. */
export const decoderArgs = (film: Stream | undefined): readonly string[] =>
  film?.decoder === undefined ? [] : [`-c:${film.index}`, film.decoder];

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number => {
  const number = Number(value);
  return Number.isFinite(number) ? number : 0;
};

export const mediaBadInput = [
  /Invalid data|moov atom|could not find codec parameters|Error while decoding|Decoding error|corrupt|Header missing|does not contain any stream|End of file/i,
];
/** Of a file that is whole on the disk, reading fails only where it says that there is more. */
const unreadable = [...mediaBadInput, /: (?:Input\/output error|Invalid argument)$/m, /unknown header size|but channels not set/];

/**
 * @throws FilemillError INVALID_INPUT (unreadable, no streams, protected), INPUT_TOO_COMPLEX.
 */
export async function readMedia(session: ToolSession, task: HopTask, demuxer: string): Promise<Media> {
  const args = ["-v", "error", ...inputArgs(demuxer), "-show_entries", entries, "-of", "json=compact=1", `file:${inputInside}`];
  const end = await session.run({ program: "/usr/bin/ffprobe", args, limits: { processes: 256 } });
  if (end.stdout.length >= longestAnswer) throw new FilemillError("INPUT_TOO_COMPLEX", "The file has too many streams.");
  const answer = jsonOf(end.stdout);
  const rows = isFields(answer) && Array.isArray(answer.streams) ? answer.streams.filter(isFields) : [];
  if (rows.length === 0) {
    const message = `The file is damaged or is not ${task.input.format.toUpperCase()}.`;
    throwIfFailed(end, unreadable, message);
    throw new FilemillError("INVALID_INPUT", message);
  }
  if (rows.some((row) => /^(enc[avts]|drm[si])$/.test(text(row.codec_tag_string)))) {
    throw new FilemillError("INVALID_INPUT", "The file is protected by digital rights management and cannot be converted.");
  }
  const format = isFields(answer) && isFields(answer.format) ? answer.format : {};
  const durations = [format.duration, ...rows.map((row) => row.duration)].map(count);
  const media: Media = {
    streams: rows.flatMap(streamOf),
    durationSeconds: Math.max(0, ...durations),
    tagsAreInStream: demuxer === "ogg",
  };
  assertBounds(media);
  return media;
}

function jsonOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function streamOf(row: Fields): Stream[] {
  const kind = kindOf(row);
  const codec = text(row.codec_name);
  if (kind === undefined || codec === "") return [];
  const sampleFormat = text(row.sample_fmt);
  const isLossy = !/^(pcm|flac|alac|wavpack|tta|dsd)/.test(codec);
  return [
    {
      index: count(row.index),
      kind,
      codec,
      width: count(row.width),
      height: count(row.height),
      framesPerSecond: rateOf(text(row.avg_frame_rate)) || rateOf(text(row.r_frame_rate)),
      nominalRate: rateOf(text(row.r_frame_rate)),
      startSeconds: count(row.start_time),
      durationSeconds: count(row.duration) || secondsOf(isFields(row.tags) ? text(row.tags.DURATION) : ""),
      sampleRate: count(row.sample_rate),
      channels: count(row.channels),
      hasLayout: text(row.channel_layout) !== "",
      bits: isLossy ? 16 : count(row.bits_per_raw_sample) || (/^(s32|dbl|flt)/.test(sampleFormat) ? 32 : 16),
      isFloat: !isLossy && /^(flt|dbl)/.test(sampleFormat),
      isDefault: isFields(row.disposition) && row.disposition.default === 1,
      language: isFields(row.tags) ? text(row.tags.language).slice(0, 16) : "",
      pixelFormat: text(row.pix_fmt),
      colours: coloursOf(row),
      isSquare: /^(1:1|0:1|N\/A|)$/.test(text(row.sample_aspect_ratio)),
      hasAlpha: /^(yuva|rgba|bgra|argb|abgr|gbrap|ya|pal8)/.test(text(row.pix_fmt)) || isLayered(row),
      decoder: isLayered(row) ? `libvpx${codec === "vp9" ? "-vp9" : ""}` : undefined,
      mayBeInterlaced: mayBeInterlaced(text(row.field_order), codec),
      isTurned: Array.isArray(row.side_data_list) && row.side_data_list.some((data) => isFields(data) && count(data.rotation) !== 0),
    },
  ];
}

/** VP8 and VP9 have their transparency in a film of its own, which only their own decoders look for. */
function isLayered({ codec_name, tags }: Fields): boolean {
  return /^vp[89]$/.test(text(codec_name)) && isFields(tags) && (tags.alpha_mode === "1" || tags.ALPHA_MODE === "1");
}

/** DV says it in its pictures alone. */
const mayBeInterlaced = (order: string, codec: string): boolean => /^(tt|bb|tb|bt)$/.test(order) || codec === "dvvideo";

function coloursOf(row: Fields): Colours {
  const told = (value: unknown) => text(value).replace(/^unknown$/, "");
  const [matrix, primaries] = [told(row.color_space), told(row.color_primaries)];
  return { matrix, primaries, transfer: told(row.color_transfer), range: told(row.color_range) };
}

function kindOf(row: Fields): Stream["kind"] | undefined {
  const disposition = row.disposition;
  switch (row.codec_type) {
    case "audio":
      return "audio";
    case "video":
      return isFields(disposition) && disposition.attached_pic === 1 ? "cover" : "video";
    case "subtitle":
      return "subtitle";
    default:
      return undefined;
  }
}

/** Of hours, minutes and seconds, as Matroska has them. */
function secondsOf(clock: string): number {
  const [, hours, minutes, seconds] = /^(\d{1,4}):(\d\d):(\d\d\.\d{1,9})$/.exec(clock) ?? [];
  return count(hours) * 3600 + count(minutes) * 60 + count(seconds);
}

function rateOf(fraction: string): number {
  const [above = "", below = ""] = fraction.split("/");
  const rate = count(above) / count(below);
  return Number.isFinite(rate) ? rate : 0;
}

function assertBounds(media: Media): void {
  if (media.durationSeconds > maxDurationSeconds) throw new FilemillError("INPUT_TOO_COMPLEX", "The file claims to be longer than a day.");
  for (const { kind, width, height, framesPerSecond } of media.streams) {
    if (kind !== "video" && kind !== "cover") continue;
    const pixels = width * height;
    const total = pixels * Math.min(framesPerSecond, 240) * media.durationSeconds;
    if (pixels > maxFramePixels || total > maxTotalPixels) throw new FilemillError("INPUT_TOO_COMPLEX", "The film has too many pixels.");
  }
}
