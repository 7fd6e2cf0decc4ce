/** Frame delays of an animation, including that of the last frame, which no following frame defines. */
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import { words } from "../shared/hop-table.ts";
import type { ToolSession } from "../shared/tool-run.ts";
import { readPackets } from "./ffmpeg-probe.ts";
import type { Media, Stream } from "./ffmpeg-streams.ts";

const isAnimation = (demuxer: string): boolean => /^(gif|apng)$/.test(demuxer);

/** Adds how often a GIF or APNG is played. */
export async function withPlays(inspector: Inspector, task: HopTask, media: Media, demuxer: string): Promise<Media> {
  if (!isAnimation(demuxer)) return media;
  const { plays } = await inspector.ask("animation", [task.input.path], { more: { format: demuxer }, signal: task.signal });
  return { ...media, plays };
}

/** Adds the frame delays of a GIF or APNG. */
export async function withDelays(session: ToolSession, media: Media, demuxer: string): Promise<Media> {
  if (!isAnimation(demuxer)) return media;
  let [frames, start, lastSeconds] = [0, 0, 0];
  let isFine = false;
  const args = words("-select_streams v:0 -show_entries packet=pts_time,duration_time");
  const end = await readPackets(session, demuxer, args, (line) => {
    const [, time, duration] = /^(\d+\.\d+),(\d+\.\d+)/.exec(line) ?? [];
    if (time === undefined || duration === undefined) return;
    frames += 1;
    isFine ||= !/^\d+\.\d\d0*$/.test(duration);
    [start, lastSeconds] = [Number(time), Number(duration)];
  });
  if (end.exitCode !== 0 || frames < 2) return media;
  const delays = { frames, lastSeconds, endSeconds: start + lastSeconds, isFine };
  return { ...media, durationSeconds: delays.endSeconds, delays };
}

/** An encoder shows the last frame for one step: a duplicate frame is added where that would be too short. */
export function lastShown({ delays }: Media, { nominalRate }: Stream): readonly string[] {
  const step = nominalRate > 0 ? 1 / nominalRate : 0;
  if (delays === undefined || step === 0 || delays.lastSeconds - step < 0.005) return [];
  const time = (delays.endSeconds - step).toFixed(4);
  return ["tpad=stop=1:stop_mode=clone", `setpts=if(eq(N\\,${delays.frames})\\,${time}/TB\\,PTS)`];
}

/** Hundredths and thousandths of a second, as in GIF and APNG, instead of a constant frame rate. */
export const exactSteps = ({ delays }: Media): readonly string[] =>
  delays === undefined ? [] : ["-vsync", "vfr", "-enc_time_base", "1:1000"];
