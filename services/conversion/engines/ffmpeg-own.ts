/** Sound and film that stay in their format: codecs are kept, and what was to be smaller and is not is given back (decision 55). */
import { stat } from "node:fs/promises";
import { FilemillError } from "#kit/errors.ts";
import type { HopTask } from "../domain/engine.ts";
import type { Container } from "./ffmpeg-container.ts";
import { encoders } from "./ffmpeg-formats.ts";
import type { Media, Stream } from "./ffmpeg-streams.ts";
import { numberOption } from "./hop-table.ts";
import { inputInside, type ToolSession } from "./tool-run.ts";

export const isOwn = ({ hop }: HopTask): boolean => hop.from === hop.to;

const exact = /^(pcm|flac|alac)/;

/** What a file has is not always what we would write into its format. */
const held: Readonly<Record<string, RegExp>> = {
  mp4: /^(aac|mp3|mp2|ac3|eac3|alac|flac|opus|dts|h264|hevc|av1|mpeg4|vp9|mpeg1video|mpeg2video|mjpeg)$/,
  webm: /^(vp8|vp9|av1|opus|vorbis)$/,
};
const isHeld = ({ hop }: HopTask, codec: string): boolean => held[hop.to]?.test(codec) ?? true;

export function withOwnSound(task: HopTask, target: Container, { codec }: Stream): Container {
  if (!isOwn(task) || !isHeld(task, codec)) return target;
  // A bit rate means nothing to codecs that are exact.
  const staysExact = exact.test(codec) && task.options.audioBitrate === undefined;
  const own = codec.startsWith("pcm_") ? [codec.endsWith("be") ? "pcm_be" : "pcm_le"] : encoders[codec];
  const encoder = exact.test(codec) && !staysExact ? undefined : own;
  return {
    ...target,
    ...(encoder === undefined ? {} : { audio: encoder }),
    copyAudio: [...(target.copyAudio ?? []), codec],
    exact: target.exact === true || staysExact,
  };
}

/** ffmpeg takes FLAC in MP4 for an experiment, and writes none that it is not told to. */
export function strictArgs(task: HopTask, { streams }: Media): readonly string[] {
  return isOwn(task) && task.hop.to === "mp4" && streams.some(({ codec }) => codec === "flac") ? ["-strict", "-2"] : [];
}

/** Encoders that write a film smaller or larger as they are asked to; others are for films that are still worked on. */
const graded = /^(h264|hevc|av1|vp9|vp8)$/;

export function withOwnFilm(task: HopTask, target: Container, { codec }: Stream): Container {
  if (!isOwn(task) || !isHeld(task, codec)) return target;
  const encoder = graded.test(codec) && target.videoChoices?.includes(codec) === true ? encoders[codec] : undefined;
  return { ...target, ...(encoder === undefined ? {} : { video: encoder }), copyVideo: [...(target.copyVideo ?? []), codec] };
}

/** Subtitles that are pictures, and files that are attached, go from one Matroska file to the next as they are. */
export const holdsAnything = (task: HopTask): boolean => isOwn(task) && task.hop.to === "mkv";

export function speedOf({ options }: HopTask): number {
  return numberOption(options, "speed") ?? 1;
}

/** The filter doubles the speed at most before it leaves out samples. */
export function tempoFilters(task: HopTask): readonly string[] {
  const speed = speedOf(task);
  if (speed === 1) return [];
  return speed > 2 ? ["atempo=2", `atempo=${speed / 2}`] : [`atempo=${speed}`];
}

/** Options that ask for fewer bytes, or change nothing but how they are saved. */
const forSize: ReadonlySet<string> = new Set(["audioBitrate", "videoBitrate", "crf", "maxMb", "preset"]);

/** Whether fewer bytes are all that is asked for. */
function asksForSizeOnly({ hop, options }: HopTask): boolean {
  const given = hop.options.filter(({ name, default: usual }) => options[name] !== undefined && options[name] !== usual);
  const others = given.filter(({ name }) => !forSize.has(name) && !(name === "metadata" && options.metadata === "keep"));
  return others.length === 0 && given.some(({ name }) => name !== "preset" && forSize.has(name));
}

/** Puts the source in place of a result that was to be smaller and is not. @returns whether it did. */
export async function keepSmallerSource(session: ToolSession, task: HopTask): Promise<boolean> {
  if (!isOwn(task) || !asksForSizeOnly(task)) return false;
  const { size } = await stat(session.pathOf("out"));
  if (size < task.input.sizeBytes) return false;
  const end = await session.run({ program: "/bin/cp", args: [inputInside, "/job/out"], limits: { fileBytes: 8 * 2 ** 30 } });
  if (end.exitCode !== 0) throw new FilemillError("CONVERSION_FAILED", "The file could not be given back as it is.");
  return true;
}
