/** Where a film can be cut: without re-encoding at a key frame, otherwise anywhere if decoding starts at one. */
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { numberOption } from "../shared/hop-table.ts";
import type { ToolSession } from "../shared/tool-run.ts";
import { isOwn } from "./ffmpeg-own.ts";
import { readPackets } from "./ffmpeg-probe.ts";
import { type Media, streamsOf } from "./ffmpeg-streams.ts";

/** Seeking this many seconds before a frame finds it despite rounded times. */
const before = 0.001;

/** Adds where to start copying for the requested start, if the film stays in its format and can be copied from there. */
export async function withKeyframe(session: ToolSession, task: HopTask, media: Media, demuxer: string): Promise<Media> {
  const film = streamsOf(media, "video")[0];
  if (!isOwn(task) || film === undefined) return media;
  const start = numberOption(task.options, "start") ?? 0;
  if (start === 0) return { ...media, copyFromSeconds: 0 };
  const zero = Math.min(...media.streams.map(({ startSeconds }) => startSeconds));
  const asked = zero + start;
  const near = film.framesPerSecond > 0 ? 0.5 / film.framesPerSecond : 0.02;
  // The frame with which a re-encoded film would start.
  const isFirst = (time: number): boolean => time > asked - near && time < asked + 2 * near;
  let key: number | undefined;
  let refersBack = false;
  const interval = `${Math.max(0, asked - near)}%${asked + 1}`;
  const args = ["-select_streams", String(film.index), "-show_entries", "packet=pts_time,flags", "-read_intervals", interval];
  await readPackets(session, demuxer, args, (line) => {
    const [, time, flags = ""] = /^(-?\d+\.\d+),(\S+)/.exec(line) ?? [];
    if (time === undefined) return;
    // Frames shown before a preceding key frame need earlier frames.
    if (key !== undefined) refersBack ||= Number(time) < key;
    else if (flags.startsWith("K") && isFirst(Number(time))) key = Number(time);
  });
  if (key === undefined || refersBack) return media;
  return { ...media, copyFromSeconds: Math.max(0, key - zero - before) };
}

/**
 * Without an index, seeking ends between key frames, and frames up to the next one are lost. Broadcasts have one within
 * seconds. Seeking in program streams also ends within a frame of sound, and bare streams have no times.
 */
const marginSeconds: Readonly<Record<string, number>> = {
  ...{ mpegts: 20, wtv: 20 },
  ...{ mpeg: Infinity, h264: Infinity, hevc: Infinity, mpegvideo: Infinity },
};

/** How much to skip by seeking, and how much of the rest to decode and discard. */
export function seekingOf(demuxer: string, seconds: number): { readonly skipped: number; readonly discarded: number } {
  const discarded = Math.min(seconds, marginSeconds[demuxer] ?? 0);
  return { skipped: seconds - discarded, discarded };
}
