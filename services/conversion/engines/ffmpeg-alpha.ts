/** Films may have transparency, which hardly any encoder keeps. */
import type { HopTask } from "../domain/engine.ts";
import { toRgb } from "./ffmpeg-colour.ts";
import { pictureFormats } from "./ffmpeg-formats.ts";
import { inputArgs } from "./ffmpeg-probe.ts";
import type { Media, Stream } from "./ffmpeg-streams.ts";
import { videoFormats } from "./ffmpeg-video-formats.ts";
import { inputInside, type ToolSession } from "./tool-run.ts";

/** Where a picture is transparent its colours mean nothing: seen as a negative, black is put there, which is white. */
const ontoWhite = "format=gbrap,negate=components=r+g+b,premultiply=inplace=1,negate=components=r+g+b,format=gbrp";

/** The filters with one before them that flattens what is transparent, which is noted. */
export function flattening(task: HopTask, film: Stream, filters: string): string {
  if (!film.hasAlpha) return filters;
  task.note("ALPHA_FLATTENED", "Transparency was flattened onto white.");
  return [...toRgb(film), ontoWhite, filters].join(",");
}

/** Animations, and films of a palette or of RGB with room for transparency, seldom show any. */
const firstClearFrame = "format=rgba,alphaextract,signalstats,metadata=mode=select:key=lavfi.signalstats.YMIN:value=254.5:function=less";

/** The same media, where such a film has transparency only when a frame shows it. What cannot be told is taken to have. */
export async function withShownAlpha(session: ToolSession, task: HopTask, media: Media, demuxer: string): Promise<Media> {
  const isSeen = videoFormats[task.hop.to] !== undefined || pictureFormats[task.hop.to] !== undefined;
  if (!isSeen || !media.streams.some(mayBeClear)) return media;
  const input = [...inputArgs(demuxer), "-i", `file:${inputInside}`];
  const end = await session.run({
    program: "/usr/bin/ffmpeg",
    args: [
      "-nostdin",
      "-v",
      "error",
      "-threads",
      "2",
      ...input,
      "-filter:v",
      firstClearFrame,
      "-frames:v",
      "1",
      "-f",
      "framecrc",
      "pipe:1",
    ],
    limits: { addressSpace: false, processes: 256 },
  });
  const shows = end.exitCode !== 0 || /^[0-9]/m.test(end.stdout);
  return shows
    ? media
    : { ...media, streams: media.streams.map((stream) => (mayBeClear(stream) ? { ...stream, hasAlpha: false } : stream)) };
}

const mayBeClear = ({ kind, pixelFormat, hasAlpha }: Stream): boolean =>
  kind === "video" && hasAlpha && /^(pal8|rgba|bgra|argb|abgr)/.test(pixelFormat);
