/** Stills and animations of a film. */
import { FilemillError } from "#kit/errors.ts";
import type { HopTask } from "../domain/engine.ts";
import { flattening } from "./ffmpeg-alpha.ts";
import { toneMapping } from "./ffmpeg-colour.ts";
import type { Container } from "./ffmpeg-container.ts";
import { type Media, streamsOf } from "./ffmpeg-streams.ts";
import { numberOption } from "./hop-table.ts";

/** The pictures of a film as one still or as an animation. */
export function pictureArgs(task: HopTask, media: Media, target: Container): string[] {
  const film = streamsOf(media, "video")[0];
  if (film === undefined) throw new FilemillError("INVALID_INPUT", "The file has no moving picture.");
  const map = ["-map", `0:${film.index}`, "-an"];
  const width = numberOption(task.options, "width");
  const isStill = target.muxer === "image2";
  if (isStill) {
    const scale = width === undefined ? "null" : `scale=${width}:-2`;
    const isJpeg = task.hop.to === "jpg";
    const filters = [...toneMapping(task, film), isJpeg ? flattening(task, film, scale) : scale];
    return [...map, "-c:v", ...(target.video ?? []), "-filter:v", filters.join(","), "-frames:v", "1", "-update", "1"];
  }
  if (target.muxer === "apng") return [...map, "-c:v", ...(target.video ?? [])];
  const fps = numberOption(task.options, "fps") ?? 12;
  const loop = numberOption(task.options, "loop") ?? 0;
  // Of a film that is shorter than one picture of the animation, its only one is kept.
  const base = `${[...toneMapping(task, film), ""].join(",")}fps=${fps}:eof_action=pass,scale='min(${width ?? 480},iw)':-2:flags=lanczos`;
  if (target.muxer === "gif") {
    const palette = `[0:${film.index}]${base},split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=3[v]`;
    return ["-filter_complex", palette, "-map", "[v]", "-an", "-loop", gifLoopOf(loop)];
  }
  return [...map, "-c:v", ...(target.video ?? []), "-loop", String(loop), "-filter:v", base];
}

/** GIF counts repetitions: -1 is once. */
function gifLoopOf(times: number): string {
  return String(times === 0 ? 0 : times === 1 ? -1 : times - 1);
}
