/** Whether a whole file was converted: ffmpeg exits with 0 even if a film is cut off, so the exit code proves nothing. */
import { FilemillError } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { saysBadInput } from "../shared/bad-input.ts";
import { flagOption, numberOption, words } from "../shared/hop-table.ts";
import type { ToolSession } from "../shared/tool-run.ts";
import type { Container } from "./ffmpeg-container.ts";
import { audioFormats, pictureFormats, subtitleFormats } from "./ffmpeg-formats.ts";
import { speedOf } from "./ffmpeg-own.ts";
import { readPackets } from "./ffmpeg-probe.ts";
import { type Media, mediaBadInput, type Stream } from "./ffmpeg-streams.ts";
import { videoFormats } from "./ffmpeg-video-formats.ts";

export type Length = {
  /** 0 if unknown, or if the result has no length. */
  readonly seconds: number;
  /** By the file, not guessed from its size or its last time stamp. */
  readonly isTold: boolean;
  /** How much may be missing without a note. */
  readonly tolerated: number;
};

const unknownLength: Length = { seconds: 0, tolerated: 0, isTold: false };

/** Containers that store each track's duration; others have it guessed from the bit rate, or store only that of the longest track. */
const tells = /^(mov|matroska|avi|wav|w64|flac|aiff|caf|au|flv|wv|tta|asf|mxf)$/;
/** If less than this share can be decoded, the file counts as damaged. */
const leastShare = 0.1;

/** Subtitles have no frames, and end with their last cue. */
export function isText({ hop }: HopTask): boolean {
  return subtitleFormats[hop.to] !== undefined;
}

/** Concatenated frames without a frame count. */
const isBare = ({ isGuessed }: Media, demuxer: string): boolean => /^(ac3|eac3|dts)$/.test(demuxer) || (demuxer === "mp3" && isGuessed);

/** How long all frames are, and whether the last differs in length from the others, which are equal to within a byte or two. */
async function framesOf(session: ToolSession, demuxer: string): Promise<{ readonly seconds: number; readonly isOpen: boolean }> {
  let [least, most, last, seconds] = [Infinity, 0, 0, 0];
  await readPackets(session, demuxer, words("-select_streams a:0 -show_entries packet=duration_time,size"), (line) => {
    const [, length = "", size] = /^([\d.]+|N\/A),(\d+)/.exec(line) ?? [];
    if (last > 0) [least, most] = [Math.min(least, last), Math.max(most, last)];
    last = Number(size ?? last);
    seconds += Number.parseFloat(length) || 0;
  });
  return { seconds, isOpen: most > 0 && most - least <= 2 && (last < least || last > most) };
}

/** Readers of whose files an inspector knows the end, or finds damage. */
const inspected = /^(wav|aiff|w64|caf|ogg|asf|avi|mov|mpeg|mpegts|flv|dv|gif|apng|mxf|matroska|rm|flac|mp3|aac|ac3|eac3|dts|au)$/;

/** Corrects durations to those in the file header if ffprobe reports only what is present. */
export async function withEnd(session: ToolSession, inspector: Inspector, task: HopTask, media: Media, demuxer: string): Promise<Media> {
  const counted = isBare(media, demuxer) ? await withCount(session, media, demuxer) : media;
  return inspected.test(demuxer) ? await withFound(inspector, task, counted, demuxer) : counted;
}

async function withCount(session: ToolSession, media: Media, demuxer: string): Promise<Media> {
  const { seconds, isOpen } = await framesOf(session, demuxer);
  const streams = media.streams.map((stream) =>
    stream.kind === "audio" && seconds > 0 ? { ...stream, durationSeconds: seconds } : stream,
  );
  return { ...media, streams, isOpen, ...(seconds > 0 ? { durationSeconds: seconds, isGuessed: false } : {}) };
}

async function withFound(inspector: Inspector, task: HopTask, media: Media, demuxer: string): Promise<Media> {
  const { share, isOpen, places, seconds, beside, decoder } = await inspector.ask("soundEnd", [task.input.path], {
    more: { format: demuxer },
    signal: task.signal,
  });
  // ASF states only when its last track ends.
  const lengthOf = (told: number, from = 0): number => (seconds > 0 ? Math.max(0, seconds - from) : share > 0 ? told / share : told);
  const streams = media.streams.map((stream) => ({
    ...stream,
    // Samples with room to spare have at most 24 valid bits.
    ...(decoder === "" ? {} : { decoder, isFloat: false, bits: Math.min(stream.bits, 24) }),
    durationSeconds: lengthOf(stream.durationSeconds, Math.max(0, stream.startSeconds)),
  }));
  return {
    ...media,
    streams,
    durationSeconds: lengthOf(media.durationSeconds),
    isOpen: isOpen || media.isOpen === true,
    damagedPlaces: places,
    beside,
  };
}

/** Expected duration of the result. */
export function expectedLengthOf(task: HopTask, media: Media, demuxer: string): Length {
  // A still has no duration, and the WebP encoder only writes at the end.
  const isTimeless = isStill(task) || task.hop.to === "webp" || isText(task);
  if (isTimeless) return unknownLength;
  const converted = convertedOf(task, media);
  // FLV states only how long its longest track is.
  const isOfAll = demuxer === "flv" && converted.length === media.streams.length;
  const durations = converted.map(({ durationSeconds }) => (isOfAll ? media.durationSeconds : durationSeconds));
  // One track may be shorter than the file; that its end is missing is found otherwise.
  const isOfSome = converted.length < media.streams.filter(({ kind }) => kind === "audio" || kind === "video").length;
  const isTold =
    !(demuxer === "asf" && isOfSome) &&
    (tells.test(demuxer) || (demuxer === "mp3" && !media.isGuessed)) &&
    durations.length > 0 &&
    durations.every((seconds) => seconds > 0);
  if (!isTold && isOfSome && inspected.test(demuxer)) return unknownLength;
  const whole = isTold ? Math.max(...durations) : media.durationSeconds;
  const rest = Math.max(0, whole - (numberOption(task.options, "start") ?? 0));
  const asked = numberOption(task.options, "duration");
  const kept = asked === undefined ? rest : whole === 0 ? asked : Math.min(asked, rest);
  const seconds = kept / speedOf(task);
  // The last frame written need not be the last one shown, and its own duration is not counted.
  const steps = converted.map(({ framesPerSecond }) => (framesPerSecond > 0 ? 4 / framesPerSecond : 0));
  // FFmpeg takes what is there of an AVI for all of it.
  return {
    seconds,
    isTold: isTold && demuxer !== "avi",
    tolerated: isTold ? Math.max(0.5, seconds * 0.01) + Math.max(0, ...steps) : Math.max(1.5, seconds * 0.1),
  };
}

/** One picture, which is complete whatever comes after it. */
export const isStill = ({ hop, options }: HopTask): boolean => pictureFormats[hop.to]?.muxer === "image2" || options.at !== undefined;

const isPart = ({ options }: HopTask): boolean => options.duration !== undefined;

/** The tracks of the result, in order: video first. */
export function convertedOf(task: HopTask, { streams }: Media): readonly Stream[] {
  const sounds = streams.filter(({ kind }) => kind === "audio");
  if (audioFormats[task.hop.to] !== undefined) {
    const chosen = sounds[(numberOption(task.options, "track") ?? 0) - 1] ?? sounds.find(({ isDefault }) => isDefault) ?? sounds[0];
    return chosen === undefined ? [] : [chosen];
  }
  const film = streams.filter(({ kind }) => kind === "video").slice(0, 1);
  const isMute = flagOption(task.options, "mute") || pictureFormats[task.hop.to] !== undefined;
  return isMute ? film : [...film, ...soundsHeld(videoFormats[task.hop.to], sounds)];
}

/** All, or the one that a player starts with. */
export function soundsHeld(target: Container | undefined, sounds: readonly Stream[]): readonly Stream[] {
  if (target?.singleAudio !== true) return sounds;
  const chosen = sounds.find(({ isDefault }) => isDefault);
  return chosen === undefined ? sounds.slice(0, 1) : [chosen];
}

export function withoutTrack({ unknownKinds }: Media, kind: Stream["kind"], message: string): FilemillError {
  const isUnknown = unknownKinds.includes(kind);
  return new FilemillError("INVALID_INPUT", isUnknown ? `The codec of the ${kind} track is unknown, so it cannot be decoded.` : message);
}

/** Whether files of sound in this format state how long they are. */
export const statesLength = (demuxer: string): boolean => demuxer === "mp3" || tells.test(demuxer);

/** What FFmpeg reports about damage, in decoders and, for copies, in the readers of containers. */
export const damageSigns =
  /Error while decoding|end mismatch|ac-tex damaged|packet_obj_size \d+ invalid|Invalid data found|truncat|corrupt|Packet mismatch|partial file|ended prematurely|CRC mismatch|Invalid NAL unit size|exceeds containing master element|first byte of an EBML/i;

/** Notes what is missing. @returns whether that says how much is there. @throws FilemillError INVALID_INPUT, CONVERSION_FAILED. */
export function assertConverted(task: HopTask, media: Media, end: SandboxEnd, writtenSeconds: number, expected: Length): boolean {
  if (end.exitCode !== 0) {
    const [, codec] = /Decoder \(codec (\w+)\) not found/.exec(end.stderr) ?? [];
    if (codec !== undefined) throw new FilemillError("INVALID_INPUT", `FFmpeg cannot decode the codec ${codec}.`);
    const isDamaged = media.isOpen === true || (media.damagedPlaces ?? 0) > 0;
    if (isDamaged || saysBadInput(end, mediaBadInput))
      throw new FilemillError("INVALID_INPUT", "The file is damaged and could not be decoded.");
    throw new FilemillError("CONVERSION_FAILED", "The file could not be converted to this format.");
  }
  // The last picture of an animation may be shown longest, and the written file states only when it begins.
  const missing = media.delays === undefined ? expected.seconds - writtenSeconds : 0;
  const isShort = missing > expected.tolerated;
  if (isShort && missing > 1.5 && writtenSeconds < expected.seconds * leastShare) {
    throw new FilemillError("INVALID_INPUT", "The file is truncated or damaged: almost nothing of it could be decoded.");
  }
  if (isStill(task)) return false;
  const reported = end.stderr.split("\n").filter((line) => damageSigns.test(line)).length;
  const told = damageOf(task, media, { reported, missing, isShort, writtenSeconds }, expected);
  if (told !== undefined) task.note("INPUT_DAMAGED", told);
  return told?.includes(" seconds") ?? false;
}

type Found = { readonly reported: number; readonly missing: number; readonly isShort: boolean; readonly writtenSeconds: number };

function damageOf(
  task: HopTask,
  media: Media,
  { reported, missing, isShort, writtenSeconds }: Found,
  expected: Length,
): string | undefined {
  const found = media.damagedPlaces ?? 0;
  const errors = Math.max(reported, found);
  const places = errors === 1 ? "one place" : `about ${errors} places`;
  // The WebP encoder writes, and counts, only at the end.
  const length = (text: string) => (writtenSeconds < 0.1 ? "" : `; the ${text} is ${writtenSeconds.toFixed(1)} seconds long`);
  const read = `Only ${writtenSeconds.toFixed(1)} of ${expected.seconds.toFixed(1)} seconds could be read.`;
  if (media.isOpen === true && !isPart(task))
    return expected.isTold && missing > 0.1 ? read : `The end of the file is missing${length("rest")}.`;
  if (isShort || (reported > 0 && missing > 0.1)) return read;
  if (isPart(task) && reported === 0) return found === 0 ? undefined : `The file is damaged in ${places}, which need not be in this part.`;
  // What only the inspector found is not missing on FFmpeg's clock.
  return errors === 0 ? undefined : `The file is damaged in ${places}${reported === 0 ? "" : length("result")}.`;
}

/** Decoders skip damaged frames, so the clock runs on while the audio gets shorter. */
export function noteGaps(task: HopTask, result: Media, demuxer: string, expected: Length): void {
  const { durationSeconds } = result;
  const isTold = audioFormats[task.hop.to] !== undefined && statesLength(demuxer);
  if (!isTold || durationSeconds === 0 || expected.seconds - durationSeconds <= expected.tolerated) return;
  const lengths = `${durationSeconds.toFixed(1)} of ${expected.seconds.toFixed(1)} seconds`;
  task.note("INPUT_DAMAGED", `The audio has gaps or damaged places: the result is ${lengths} long.`);
}
