/**
 * Sound and film that stay in their format: codecs are kept, and the source
 * is returned if compression does not make it smaller (decision 55).
 */
import { stat } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { numberOption } from "../shared/hop-table.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";
import type { Container } from "./ffmpeg-container.ts";
import { encoders } from "./ffmpeg-formats.ts";
import type { Media, Stream } from "./ffmpeg-streams.ts";

export const isOwn = ({ hop }: HopTask): boolean => hop.from === hop.to;

const exact = /^(pcm|flac|alac)/;

/** A file may contain codecs that we would not write to its format. */
const mp4 = /^(aac|mp3|mp2|ac3|eac3|alac|flac|opus|dts|h264|hevc|av1|mpeg4|vp9|mpeg1video|mpeg2video|mjpeg)$/;
const webm = /^(vp8|vp9|av1|opus|vorbis)$/;
const threeG = /^(h263|h264|mpeg4|aac|amr_nb|amr_wb)$/;
const m4a = /^(aac|alac|ac3)$/;
const held: Readonly<Record<string, RegExp>> = {
  ...{ mp4, m4v: mp4, f4v: /^(h264|aac|mp3)$/, "3gp": threeG, "3g2": threeG },
  ...{ webm, weba: webm, m4a, m4b: m4a, m4r: m4a },
};
const isHeld = ({ hop }: HopTask, codec: string): boolean => held[hop.to]?.test(codec) ?? true;

export function withOwnSound(task: HopTask, target: Container, { codec }: Stream): Container {
  if (!isOwn(task) || !isHeld(task, codec)) return target;
  // A bit rate is meaningless for lossless codecs.
  const staysExact = exact.test(codec) && task.options.audioBitrate === undefined;
  const isBig = codec.endsWith("be") || target.audio?.[0] === "pcm_be";
  const own = codec.startsWith("pcm_") ? [isBig ? "pcm_be" : "pcm_le"] : encoders[codec];
  const encoder = exact.test(codec) && !staysExact ? undefined : own;
  return {
    ...target,
    ...(encoder === undefined ? {} : { audio: encoder }),
    copyAudio: [...(target.copyAudio ?? []), codec],
    exact: target.exact === true || staysExact,
  };
}

/** ffmpeg treats FLAC in MP4 as experimental and writes it only on request. */
export function strictArgs(task: HopTask, { streams }: Media): readonly string[] {
  return isOwn(task) && task.hop.to === "mp4" && streams.some(({ codec }) => codec === "flac") ? ["-strict", "-2"] : [];
}

/** Encoders with adjustable quality; the others are intermediate codecs for editing. */
const graded = /^(h264|hevc|av1|vp9|vp8)$/;

export function withOwnFilm(task: HopTask, target: Container, { codec }: Stream): Container {
  if (!isOwn(task) || !isHeld(task, codec)) return target;
  const encoder = graded.test(codec) && target.videoChoices?.includes(codec) === true ? encoders[codec] : undefined;
  return { ...target, ...(encoder === undefined ? {} : { video: encoder }), copyVideo: [...(target.copyVideo ?? []), codec] };
}

/** Picture subtitles and attachments are copied between Matroska files. */
export const holdsAnything = (task: HopTask): boolean => isOwn(task) && task.hop.to === "mkv";

export function speedOf({ options }: HopTask): number {
  return numberOption(options, "speed") ?? 1;
}

/** Channels that a resampler mixes down do not get louder than each was. The option of the whole run does not reach filters that are named. */
export const unclipped = "rematrix_maxval=1";

/** The one channel as both, as loud as it was. FFmpeg would make it 3 dB quieter. */
export const doubled = "pan=stereo|c0=c0|c1=c0";

/** The filter accepts half to double speed, beyond which it skips samples; late sound keeps its start. */
export function tempoFilters(task: HopTask): readonly string[] {
  const speed = speedOf(task);
  if (speed === 1) return [];
  const inTime = [`aresample=async=1:${unclipped}`, `asetpts=PTS-STARTPTS+STARTPTS/${speed}`];
  const step = speed > 2 ? 2 : speed < 0.5 ? 0.5 : 1;
  return [...inTime, ...(step === 1 ? [] : [`atempo=${step}`]), `atempo=${speed / step}`];
}

/** Shortens or extends frame durations; a faster film does not get a higher frame rate. */
export function paceFilters(task: HopTask, { nominalRate, framesPerSecond }: Stream): readonly string[] {
  const speed = speedOf(task);
  if (speed === 1) return [];
  // With variable frame rates, the nominal rate is that of the clock.
  const rate = nominalRate > mostNominal ? framesPerSecond : nominalRate;
  const isThinned = speed > 1 && rate > 0 && task.options.fps === undefined;
  return [`setpts=PTS/${speed}`, ...(isThinned ? [`fps=${rate}`] : [])];
}

const mostNominal = 240;

/** Subtitles pass no filters: their packet timestamps are rewritten. */
export function subtitlePaceArgs(task: HopTask): readonly string[] {
  const speed = speedOf(task);
  return speed === 1 ? [] : ["-bsf:s", `setts=ts=TS/${speed}:duration=DURATION/${speed}`];
}

/** Options that reduce the size, or only affect how it is reduced. */
const forSize: ReadonlySet<string> = new Set(["audioBitrate", "videoBitrate", "crf", "maxMb", "preset"]);

/** Whether a smaller size is all that is requested. */
function asksForSizeOnly({ hop, options }: HopTask): boolean {
  const given = hop.options.filter(({ name, default: usual }) => options[name] !== undefined && options[name] !== usual);
  const others = given.filter(({ name }) => !forSize.has(name) && !(name === "metadata" && options.metadata === "keep"));
  return others.length === 0 && given.some(({ name }) => name !== "preset" && forSize.has(name));
}

/** Replaces a result that is not smaller with the source. @returns whether it did. */
export async function keepSmallerSource(session: ToolSession, task: HopTask): Promise<boolean> {
  if (!isOwn(task) || !asksForSizeOnly(task)) return false;
  const { size } = await stat(session.pathOf("out"));
  if (size < task.input.sizeBytes) return false;
  const end = await session.run({ program: "/bin/cp", args: [inputInside, "/job/out"], limits: { fileBytes: 8 * 2 ** 30 } });
  if (end.exitCode !== 0) throw new FilemillError("CONVERSION_FAILED", "The file could not be returned unchanged.");
  return true;
}
