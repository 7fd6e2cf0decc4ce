/** Chapters: in the formats of Xiph as comments, and from files that list them in another order than they are played in. */
import { writeFile } from "node:fs/promises";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { numberOption } from "../shared/hop-table.ts";
import type { ToolSession } from "../shared/tool-run.ts";
import { speedOf } from "./ffmpeg-own.ts";
import type { Media } from "./ffmpeg-streams.ts";

/** FFmpeg leaves them out in some of these, and in Opus it writes wrong times. */
const asComments = /^(flac|ogg|oga|ogv|opus)$/;
const listName = "chapters";

/**
 * The same media with a list of its chapters in the order of their times, where the file has another, as ID3 may: FFmpeg would shorten or
 * leave out those that come too early.
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

/** The arguments by which the result has the chapters. The comments: https://wiki.xiph.org/Chapter_Extension */
export function chapterArgs(task: HopTask, { chapters, chapterList }: Media, muxer: string | undefined): readonly string[] {
  // ffmpeg would leave them where they were.
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
  // A name must stand behind its time, and the last comment takes the place of one that ffmpeg puts anew.
  return ["-map_chapters", "-1", ...(kept.length === 0 ? [] : ["-metadata", "encoder=", ...kept])];
}

/** As 01:02:03.456 */
function clockOf(seconds: number): string {
  const digits = (value: number, count: number) => String(value).padStart(count, "0");
  const milliseconds = Math.round(seconds * 1000);
  const [hours, minutes] = [Math.floor(milliseconds / 3_600_000), Math.floor(milliseconds / 60_000) % 60];
  return `${digits(hours, 2)}:${digits(minutes, 2)}:${digits(Math.floor(milliseconds / 1000) % 60, 2)}.${digits(milliseconds % 1000, 3)}`;
}
