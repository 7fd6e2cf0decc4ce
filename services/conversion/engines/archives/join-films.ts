/** Joins pictures and films to one film: clips with the same streams in the same formats, which are then put in a row. */
import { writeFile } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import { noteTable } from "#services/conversion/domain/notes.ts";
import { depthOf } from "../media/ffmpeg-changes.ts";
import { matrixArgs, toneMapping } from "../media/ffmpeg-colour.ts";
import { wholePictures } from "../media/ffmpeg-frames.ts";
import { doubled, unclipped } from "../media/ffmpeg-own.ts";
import type { Stream } from "../media/ffmpeg-streams.ts";
import { numberOption, words } from "../shared/hop-table.ts";
import { type Joining, named } from "./join.ts";
import { type Frame, ffmpeg, fittedTo, frameOf, inputsOf, isStill, type Part, partOf, pictureOf } from "./join-parts.ts";

/** Unless a size is chosen. */
export const largestFilm = 1920;
/** At fewer frames per second, a picture would be shown for longer than requested. */
const [lowestRate, highestRate] = [10, 60];
/** Of films at different rates. */
const usualRate = 30;
/** Seconds of sound after the pictures that count: encoders add less. */
const leastRest = 0.2;
/** Seconds that a picture is shown. */
export const unsetSeconds = 3;

export async function joinFilms(joining: Joining): Promise<void> {
  const { session, entries } = joining;
  const parts: Part[] = [];
  for (const entry of entries) {
    if (entry.kind === "audio") throw named(entry.name, new FilemillError("INVALID_INPUT", "An audio file cannot be part of a video."));
    const part = entry.kind === "video" ? await partOf(joining, entry, "mp4") : await pictureOf(joining, entry);
    if (part.picture === undefined) throw named(entry.name, new FilemillError("INVALID_INPUT", "The file is damaged or has no pictures."));
    parts.push(part);
  }
  const frame = frameOf(joining, parts, largestFilm);
  const rate = rateOf(joining, parts);
  const clips: string[] = [];
  for (const [index, part] of parts.entries()) {
    const clip = `clip-${index}.mkv`;
    clips.push(`file ${clip}`);
    await ffmpeg(joining, [...clipArgsOf(joining, part, frame, rate), "-f", "matroska", `/job/${clip}`], [part]);
  }
  await writeFile(session.pathOf("clips"), `ffconcat version 1.0\n${clips.join("\n")}\n`, { flag: "wx", mode: 0o644 });
  const list = ["-protocol_whitelist", "file", "-f", "concat", "-i", "file:/job/clips"];
  await ffmpeg(joining, [...list, ...words("-c:v copy -c:a aac -b:a 160k -movflags +faststart -f mp4 /job/out")]);
}

function clipArgsOf(joining: Joining, part: Part, frame: Frame, rate: number): readonly string[] {
  const { remark, task } = joining;
  const { entry, picture, sound } = part;
  if (picture === undefined) throw new FilemillError("INTERNAL", "A clip needs pictures.");
  const { seconds, filters, input } = isStill(part) ? still(joining, part, rate) : moving(part, rate);
  const told = { ...task, note: (code: keyof typeof noteTable, message?: string) => remark(entry, message ?? noteTable[code]) };
  const mapping = toneMapping(told, picture);
  const { scaling, tagging } = matrixArgs(picture, frame.height);
  const all = [...wholePictures(picture), ...mapping, ...fittedTo(joining, part, frame, scaling), ...filters, ...tagging];
  if (mapping.length === 0 && depthOf(picture) > 8) remark(entry, "Colours have 8 bits.");
  const rest = isStill(part) || seconds === 0 || sound === undefined ? 0 : sound.startSeconds + sound.durationSeconds - seconds;
  if (rest > leastRest) remark(entry, `The last ${rest.toFixed(1)} s of audio, after the pictures, were left out.`);
  if ((sound?.channels ?? 0) > 2) remark(entry, "The audio was mixed to stereo.");
  if (!isStill(part) && Math.abs(speedOf(picture) - rate) > 0.01) remark(entry, `Shown at ${Number(rate.toFixed(3))} frames per second.`);
  return [
    ...input,
    ...(sound === undefined ? words("-f lavfi -i anullsrc=r=48000:cl=stereo -map 1:a:0") : ["-map", `0:${sound.index}`]),
    ...["-map", `0:${picture.index}`, "-vf", all.join(",")],
    ...words("-c:v libx264 -preset veryfast -crf 20 -pix_fmt yuv420p -ar 48000 -ac 2 -c:a pcm_s16le"),
    // Sound as long as the pictures keeps the next clip in step.
    ...(sound === undefined ? [] : ["-af", `${sound.channels === 1 ? `${doubled},` : ""}aresample=async=1:first_pts=0:${unclipped},apad`]),
    ...(seconds > 0 ? ["-t", String(seconds)] : ["-shortest"]),
  ];
}

type Clip = { readonly seconds: number; readonly filters: readonly string[]; readonly input: readonly string[] };

/** Decoded and scaled once, however long it is shown. */
function still({ task }: Joining, part: Part, rate: number): Clip {
  const seconds = numberOption(task.options, "seconds") ?? unsetSeconds;
  return {
    seconds,
    input: ["-framerate", String(rate), ...inputsOf([part])],
    filters: [`tpad=stop_mode=clone:stop_duration=${seconds}`],
  };
}

function moving(part: Part, rate: number): Clip {
  const { startSeconds = 0, durationSeconds = 0 } = part.picture ?? {};
  const seconds = durationSeconds === 0 ? 0 : durationSeconds + startSeconds;
  return { seconds, input: inputsOf([part]), filters: [`fps=${rate}:start_time=0`] };
}

/** The rate of a phone's uneven frames is the one that it aimed at. */
function speedOf({ framesPerSecond, nominalRate }: Stream): number {
  return Math.abs(nominalRate - framesPerSecond) < 0.1 * framesPerSecond ? nominalRate : framesPerSecond;
}

/** Frames per second: that of the films if they agree, the usual one if not, a lower one for slide shows. */
function rateOf({ task }: Joining, parts: readonly Part[]): number {
  const rates = parts.flatMap((part) => (isStill(part) || part.picture === undefined ? [] : [speedOf(part.picture)]));
  const [first] = rates;
  if (first === undefined) return (numberOption(task.options, "seconds") ?? unsetSeconds) < 1 ? 20 : 10;
  return first >= lowestRate && first <= highestRate && rates.every((rate) => Math.abs(rate - first) < 0.01) ? first : usualRate;
}
