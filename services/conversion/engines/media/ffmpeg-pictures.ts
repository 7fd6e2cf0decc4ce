/** Stills and animations from film. */
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { numberOption, words } from "../shared/hop-table.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";
import { flattening } from "./ffmpeg-alpha.ts";
import { pictureColours, toneMapping } from "./ffmpeg-colour.ts";
import { isStill, withoutTrack } from "./ffmpeg-completeness.ts";
import type { Container } from "./ffmpeg-container.ts";
import { exactSteps } from "./ffmpeg-delays.ts";
import { squares, wholePictures } from "./ffmpeg-frames.ts";
import { firstFrame, inputArgs } from "./ffmpeg-probe.ts";
import { type Media, type Stream, streamsOf } from "./ffmpeg-streams.ts";

/** The arguments for one still or an animation. */
export function pictureArgs(task: HopTask, media: Media, target: Container): string[] {
  const film = streamsOf(media, "video")[0];
  if (film === undefined) throw withoutTrack(media, "video", "The file has no video.");
  const map = ["-map", `0:${film.index}`, "-an"];
  const width = numberOption(task.options, "width");
  const first = [...wholePictures(film), ...shownFrom(media), ...toneMapping(task, film)];
  if (isStill(task)) return [...map, ...stillArgs(task, film, first, target)];
  const fps = numberOption(task.options, "fps");
  if (target.muxer === "apng") {
    return [...map, ...words("-c:v apng -plays"), String(media.plays ?? 0), ...exactSteps(media), ...finalDelay(media, "/100")];
  }
  noteReduced(task, film, { fps, width });
  const kinds = { audio: "audio", subtitle: "subtitles" } as const;
  const left = (["audio", "subtitle"] as const).filter((kind) => streamsOf(media, kind).length > 0).map((kind) => kinds[kind]);
  if (left.length > 0) task.note("TRACKS_LEFT_OUT", `An animation has no ${left.join(" or ")}.`);
  if (media.delays?.isFine === true) task.note("MEDIA_CHANGED", "Frame times were rounded to hundredths of a second.");
  const size = width === undefined ? [] : [narrowed(width)];
  const colours = pictureColours(film, target.muxer === "gif" ? "rgb" : "webp");
  // If a film is shorter than one frame of the animation, its only frame is kept.
  const pace = fps === undefined ? [] : [`fps=${fps}:eof_action=pass`];
  const base = [...first, ...pace, ...squares(film), ...size, ...colours, "null"].join(",");
  const loop = numberOption(task.options, "loop") ?? media.plays ?? 0;
  if (target.muxer !== "gif") return [...map, "-c:v", ...(target.video ?? []), "-loop", String(loop), "-filter:v", base];
  const [collected, used] = media.delays === undefined ? shared : eachItsOwn;
  const palette = `[0:${film.index}]${base},split[a][b];[a]${collected}[p];[b][p]${used}[v]`;
  const delays = fps === undefined ? [...exactSteps(media), ...finalDelay(media, "")] : [];
  return ["-filter_complex", palette, "-map", "[v]", "-an", "-loop", gifLoopOf(loop), ...delays];
}

/** A single frame; `first` are the filters that come first. */
function stillArgs(task: HopTask, film: Stream, first: readonly string[], { muxer, video = [] }: Container): readonly string[] {
  const width = numberOption(task.options, "width");
  const isWebp = muxer === "webp";
  if (isWebp) noteReduced(task, film, { fps: undefined, width });
  const size = width === undefined ? [] : [isWebp ? narrowed(width) : `scale=${width}:-1`];
  const scale = [...squares(film), ...size];
  const isFlat = task.hop.to === "jpg" && film.hasAlpha;
  const rest = isFlat
    ? [flattening(task, film, ["null", ...scale, "scale=out_color_matrix=bt601:out_range=pc"].join(","))]
    : [...scale, ...pictureColours(film, isWebp ? "webp" : task.hop.to === "jpg" ? "jpg" : "rgb"), "null"];
  const encoder = isWebp ? ["libwebp"] : [...video];
  return ["-c:v", ...encoder, "-filter:v", [...first, ...rest].join(","), "-frames:v", "1", ...(isWebp ? [] : ["-update", "1"])];
}

const narrowed = (width: number): string => `scale='min(${width},iw)':-1:flags=lanczos`;

/** One palette for a whole film, so that static areas do not flicker. */
const shared = ["palettegen=stats_mode=diff", "paletteuse=dither=bayer:bayer_scale=3"] as const;
/** Frames of an animation may share no colours; those with few colours stay exact. */
const eachItsOwn = ["palettegen=stats_mode=single", "paletteuse=new=1:dither=sierra2_4a"] as const;

/** Both encoders count hundredths of a second, one of them as a fraction. */
function finalDelay({ delays }: Media, below: string): readonly string[] {
  return delays === undefined ? [] : ["-final_delay", `${Math.round(delays.lastSeconds * 100)}${below}`];
}

/** Notes a lower frame rate and a smaller size of the animation. */
function noteReduced(
  task: HopTask,
  film: Stream,
  { fps, width }: { readonly fps: number | undefined; readonly width: number | undefined },
) {
  const remarks = [
    ...(fps !== undefined && film.framesPerSecond > fps * 1.001 ? [`${fps} frames per second instead of ${rounded(film)}`] : []),
    ...(width !== undefined && film.width > width ? [`${width} pixels of width instead of ${film.width}`] : []),
  ];
  if (remarks.length > 0) task.note("MEDIA_CHANGED", `The animation has ${remarks.join(" and ")}.`);
}

const rounded = ({ framesPerSecond }: Stream): number => Number(framesPerSecond.toFixed(3));
const shownFrom = ({ shownFromSeconds = 0 }: Media) => (shownFromSeconds === 0 ? [] : [`select=gte(t\\,${shownFromSeconds})`]);

/** How long a film may start with black, in seconds. */
const longestDark = 30;
/** A thumbnail whose luma is the sum of red, green and blue. */
const light =
  "scale=64:36:flags=area,format=gbrp,colorchannelmixer=rr=1:rg=1:rb=1:gr=1:gg=1:gb=1:br=1:bg=1:bb=1,format=yuv444p,signalstats";
/** On the scale of 16 to 235: a tenth of the picture, or failing that a single pixel, is no longer black. */
const lit = ["YHIGH", "YMAX"];
const leastLight = 98;

/** Adds the time of the first frame that is not black, for a still without a requested time. */
export async function withFirstShown(session: ToolSession, task: HopTask, media: Media, demuxer: string): Promise<Media> {
  const film = streamsOf(media, "video")[0];
  if (!isStill(task) || film === undefined || numberOption(task.options, "at") !== undefined) return media;
  for (const key of lit) {
    const select = `metadata=mode=select:key=lavfi.signalstats.${key}:value=${leastLight}:function=greater`;
    const input = ["-t", String(longestDark), ...inputArgs(demuxer), "-i", `file:${inputInside}`, "-map", `0:${film.index}`];
    const end = await firstFrame(session, input, `${light},${select}`);
    const microseconds = /^0, *-?\d+, *(\d+),/m.exec(end.stdout)?.[1];
    // Slightly earlier, because times are rounded.
    if (microseconds !== undefined) return { ...media, shownFromSeconds: Math.max(0, Number(microseconds) / 1e6 - 0.0005) };
  }
  return media;
}

/** GIF counts repetitions: -1 plays once. */
function gifLoopOf(times: number): string {
  return String(times === 0 ? 0 : times === 1 ? -1 : times - 1);
}
