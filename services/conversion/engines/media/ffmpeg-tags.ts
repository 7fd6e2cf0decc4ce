/** Audio tags that FFmpeg does not carry over, such as a second artist: Mutagen does (decision 79). */
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";
import { outputInside } from "./ffmpeg-arguments.ts";
import { audioFormats, containerOf } from "./ffmpeg-formats.ts";
import { type Fields, fieldsOf } from "./ffmpeg-probe.ts";
import type { Media } from "./ffmpeg-streams.ts";

type Values = ReadonlyMap<string, readonly string[]>;

export type CarriedTags = {
  /** By the names of Vorbis comments. */
  readonly kept: Values;
  readonly lost: Values;
  readonly covers: number;
  /** How many chapters the source has in ID3. */
  readonly chapters: number;
  /** Whether the result has tags that Mutagen reads; otherwise FFmpeg's are compared. */
  readonly isRead: boolean;
};

const scripts = Object.fromEntries(
  ["sound-tags.py", "sound-tags-names.py", "sound-tags-reading.py", "sound-tags-writing.py"].map((name, place) => [
    join(import.meta.dirname, name),
    `/engine/${place === 0 ? name : name.replaceAll("-", "_")}`,
  ]),
);
const missingExit = 4;

/** Demuxers of files whose tags Mutagen reads. */
const readable = /^(mp3|flac|ogg|mov|asf|aiff|wav|wv|tta|aac|ac3)$/;

/**
 * Adds the source's missing tags and covers to an audio result.
 *
 * @returns undefined if there is nothing to carry over.
 */
export async function carryTags(session: ToolSession, inspector: Inspector, task: HopTask): Promise<CarriedTags | undefined> {
  const demuxer = containerOf(task.input.format)?.demuxer ?? "";
  const isSound = audioFormats[task.hop.to] !== undefined && readable.test(demuxer);
  if (!isSound || task.options.metadata === "strip") return undefined;
  const { mayHave } = await inspector.ask("richTags", [task.input.path], { more: { format: demuxer }, signal: task.signal });
  if (!mayHave) return undefined;
  const end = await session.run({
    program: "/usr/bin/python3",
    args: ["-I", "/engine/sound-tags.py", inputInside, outputInside],
    readOnly: scripts,
  });
  if (end.exitCode === missingExit) {
    task.note(
      "METADATA_DROPPED",
      "Tags with several values, and tags that FFmpeg does not read, were left out because Mutagen is not installed.",
    );
    return undefined;
  }
  const answer = end.exitCode === 0 ? fieldsOf(parsed(end.stdout)) : {};
  if (typeof answer.isRead !== "boolean") throw new FilemillError("CONVERSION_FAILED", "The audio tags could not be carried over.");
  if (answer.isGuessed === true) task.note("ENCODING_GUESSED", "The encoding of the tags was guessed (Windows-1252).");
  const [covers, chapters] = [Number(answer.covers), Number(answer.chapters)];
  return { kept: valuesOf(answer.kept), lost: valuesOf(answer.lost), covers, chapters, isRead: answer.isRead };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function valuesOf(fields: unknown): Values {
  const rows: Fields = fieldsOf(fields);
  return new Map(Object.entries(rows).map(([name, values]) => [name, Array.isArray(values) ? values.map(String) : []]));
}

/** Fields that FFmpeg reports as lost, minus those that were carried over, plus those that it does not know. */
export function lostWith(lost: readonly string[], before: Media["tags"], after: Media["tags"], carried: CarriedTags): readonly string[] {
  const there = new Set([...carried.kept.values()].flat());
  // Track 2 of 12 may have been two fields.
  const counts = new Set([...there].filter((value) => /^\d+\/\d+$/.test(value)).flatMap((value) => value.split("/")));
  const isCounted = (name: string): boolean => /track|disc/i.test(name) && counts.has(clean(before[name]));
  // FFmpeg joins multiple values.
  const isThere = (value: string): boolean => there.has(value) || value.split(/[;,/]/).every((part) => there.has(part.trim()));
  // Dates of ID3 have other signs.
  const isMended = (name: string): boolean => (isUnreadable(before[name]) || name === "date") && carried.kept.has(name);
  const byFfmpeg = lost.filter((name) => !isMended(name) && !isCounted(name) && !isThere(clean(before[name])));
  const named = byFfmpeg.map((name) => clean(before[name]));
  const held = carried.isRead ? [] : Object.values(after).map(clean);
  const others = [...carried.lost].filter(
    ([, values]) => !values.every((value) => [...held, ...named].some((text) => value !== "" && text.includes(value))),
  );
  return [...byFfmpeg, ...others.map(([name]) => name).filter((name) => !byFfmpeg.includes(name))];
}

/** Not Unicode, which FFmpeg passes on as it is. */
export const isUnreadable = (value = ""): boolean => value.includes("\uFFFD");

/** Track 03 of 0 is track 3. */
const clean = (value = ""): string =>
  value
    .replaceAll("\r\n", "\n")
    .trim()
    .replace(/^0{1,4}([1-9])/, "$1")
    .replace(/\/0$/, "");
