/** Films may have transparency, which hardly any encoder keeps. */
import type { HopTask } from "../domain/engine.ts";
import { toRgb } from "./ffmpeg-colour.ts";
import { inputArgs, type Media, type Stream } from "./ffmpeg-streams.ts";
import { inputInside, type ToolSession } from "./tool-run.ts";

/** Where a picture is transparent its colours mean nothing: seen as a negative, black is put there, which is white. */
const ontoWhite = "format=gbrap,negate=components=r+g+b,premultiply=inplace=1,negate=components=r+g+b,format=gbrp";

/** The filters with one before them that flattens what is transparent, which is noted. */
export function flattening(task: HopTask, film: Stream, filters: string): string {
  if (!film.hasAlpha) return filters;
  task.note("ALPHA_FLATTENED", "Transparency was flattened onto white.");
  return [...toRgb(film), ontoWhite, filters].join(",");
}

/** Every GIF is decoded with transparency, whose points are all there or not; few show any, for most only say what stays as it was. */
const firstClearFrame = "alphaextract,signalstats,metadata=mode=select:key=lavfi.signalstats.YMIN:value=128:function=less";

/** The same media, where a GIF has transparency only when a frame shows it. What cannot be told is taken to have. */
export async function withShownAlpha(session: ToolSession, media: Media, demuxer: string): Promise<Media> {
  if (!media.streams.some(isGif)) return media;
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
  return shows ? media : { ...media, streams: media.streams.map((stream) => (isGif(stream) ? { ...stream, hasAlpha: false } : stream)) };
}

const isGif = ({ codec, hasAlpha }: Stream): boolean => codec === "gif" && hasAlpha;
