/** Chapters in the formats of Xiph, which hold them as comments, and where ffmpeg leaves these out. */
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { numberOption } from "../shared/hop-table.ts";
import { speedOf } from "./ffmpeg-own.ts";
import type { Media } from "./ffmpeg-streams.ts";

/** ffmpeg writes the comments of these itself when they are in Ogg. */
const written = /^(opus|libopus|flac|speex)$/;

/**
 * The comments as arguments: https://wiki.xiph.org/Chapter_Extension
 *
 * @param codec Of the stream that is written.
 */
export function chapterArgs(task: HopTask, { chapters }: Media, muxer: string | undefined, codec: string): readonly string[] {
  // ffmpeg would leave them where they were.
  if (speedOf(task) !== 1) return ["-map_chapters", "-1"];
  const isLeftOut = muxer === "flac" || (/^(ogg|oga|ogv)$/.test(muxer ?? "") && !written.test(codec));
  if (!isLeftOut) return [];
  const start = numberOption(task.options, "start") ?? 0;
  const end = start + (numberOption(task.options, "duration") ?? Infinity);
  const kept = chapters
    .filter(({ startSeconds }, place) => startSeconds < end && (chapters[place + 1]?.startSeconds ?? Infinity) > start)
    .flatMap(({ startSeconds, title }, place) => {
      const name = `CHAPTER${String(place).padStart(3, "0")}`;
      return ["-metadata", `${name}=${clockOf(Math.max(0, startSeconds - start))}`, "-metadata", `${name}NAME=${title}`];
    });
  // A name must stand behind its time, and the last comment takes the place of one that ffmpeg puts anew.
  return kept.length === 0 ? [] : ["-metadata", "encoder=", ...kept];
}

/** As 01:02:03.456 */
function clockOf(seconds: number): string {
  const digits = (value: number, count: number) => String(value).padStart(count, "0");
  const milliseconds = Math.round(seconds * 1000);
  const [hours, minutes] = [Math.floor(milliseconds / 3_600_000), Math.floor(milliseconds / 60_000) % 60];
  return `${digits(hours, 2)}:${digits(minutes, 2)}:${digits(Math.floor(milliseconds / 1000) % 60, 2)}.${digits(milliseconds % 1000, 3)}`;
}
