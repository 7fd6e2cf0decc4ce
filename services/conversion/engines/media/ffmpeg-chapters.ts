/** Chapters: as comments in Xiph formats, and from files that list them out of order. */
import { writeFile } from "node:fs/promises";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { numberOption } from "../shared/hop-table.ts";
import type { ToolSession } from "../shared/tool-run.ts";
import { speedOf } from "./ffmpeg-own.ts";
import type { Media } from "./ffmpeg-streams.ts";

/** FFmpeg omits them in some of these, and writes wrong times in Opus. */
const asComments = /^(flac|ogg|oga|ogv|opus)$/;
const listName = "chapters";

/**
 * Adds a chapter list in chronological order if the file's own is not, as
 * ID3 allows: FFmpeg would shorten or drop chapters that come too early.
 */
export async function withOrderedChapters(session: ToolSession, { options }: HopTask, media: Media): Promise<Media> {
  const isOrdered = media.chapters.every(({ startSeconds }, place) => startSeconds >= (media.chapters[place - 1]?.startSeconds ?? 0));
  if (isOrdered) return media;
  const chapters = media.chapters.toSorted((one, other) => one.startSeconds - other.startSeconds);
  const start = numberOption(options, "start") ?? 0;
  const rows = chapters.flatMap(({ startSeconds, title }, place) => {
    const end = chapters[place + 1]?.startSeconds ?? Math.max(media.durationSeconds, startSeconds);
    if (end <= start) return [];
    const [from, to] = [startSeconds, end].map((seconds) => Math.round(Math.max(0, seconds - start) * 1000));
    return `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${from}\nEND=${to}\ntitle=${title.replaceAll(/[=;#\\\n]/g, "\\$&")}\n`;
  });
  await writeFile(session.pathOf(listName), `;FFMETADATA1\n${rows.join("")}`, { flag: "wx", mode: 0o644 });
  return { ...media, chapters, chapterList: `/job/${listName}` };
}

/** The arguments that write the chapters. The comments: https://wiki.xiph.org/Chapter_Extension */
export function chapterArgs(task: HopTask, { chapters, chapterList }: Media, muxer: string | undefined): readonly string[] {
  // ffmpeg would leave their times unchanged.
  if (speedOf(task) !== 1) return ["-map_chapters", "-1"];
  if (!asComments.test(muxer ?? "")) return chapterList === undefined ? [] : ["-map_chapters", "1"];
  const start = numberOption(task.options, "start") ?? 0;
  const end = start + (numberOption(task.options, "duration") ?? Infinity);
  const kept = chapters
    .filter(({ startSeconds }, place) => startSeconds < end && (chapters[place + 1]?.startSeconds ?? Infinity) > start)
    .flatMap(({ startSeconds, title }, place) => {
      const name = `CHAPTER${String(place).padStart(3, "0")}`;
      return ["-metadata", `${name}=${clockOf(Math.max(0, startSeconds - start))}`, "-metadata", `${name}NAME=${title}`];
    });
  // A name must follow its time, and ffmpeg replaces the last comment with its own.
  return ["-map_chapters", "-1", ...(kept.length === 0 ? [] : ["-metadata", "encoder=", ...kept])];
}

/** As 01:02:03.456 */
function clockOf(seconds: number): string {
  const digits = (value: number, count: number) => String(value).padStart(count, "0");
  const milliseconds = Math.round(seconds * 1000);
  const [hours, minutes] = [Math.floor(milliseconds / 3_600_000), Math.floor(milliseconds / 60_000) % 60];
  return `${digits(hours, 2)}:${digits(minutes, 2)}:${digits(Math.floor(milliseconds / 1000) % 60, 2)}.${digits(milliseconds % 1000, 3)}`;
}
