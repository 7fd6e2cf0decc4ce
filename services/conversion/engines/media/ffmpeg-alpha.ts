/** Films may have an alpha channel, which hardly any encoder keeps. */
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";
import { toRgb } from "./ffmpeg-colour.ts";
import { pictureFormats } from "./ffmpeg-formats.ts";
import { firstFrame, inputArgs } from "./ffmpeg-probe.ts";
import { decoderArgs, type Media, type Stream, streamsOf } from "./ffmpeg-streams.ts";
import { videoFormats } from "./ffmpeg-video-formats.ts";

/** The colour of transparent pixels is arbitrary: they are set to black in the negative, which is white. */
const ontoWhite = "format=gbrap,negate=components=r+g+b,premultiply=inplace=1,negate=components=r+g+b,format=gbrp";

/** Prepends a filter that flattens transparency, and notes it. */
export function flattening(task: HopTask, film: Stream, filters: string): string {
  if (!film.hasAlpha) return filters;
  task.note("ALPHA_FLATTENED", "Transparency was flattened onto white.");
  return [...toRgb(film), ontoWhite, filters].join(",");
}

/** Animations, and palette or RGB films with an alpha channel, rarely contain transparent pixels. */
const firstClearFrame = "format=rgba,alphaextract,signalstats,metadata=mode=select:key=lavfi.signalstats.YMIN:value=254.5:function=less";
/** Neither nearly transparent nor nearly opaque: GIF has no intermediate values. */
const firstVeiledFrame =
  "format=rgba,alphaextract,lutyuv=y='if(between(val,26,229),255,0)',signalstats,metadata=mode=select:key=lavfi.signalstats.YMAX:value=128:function=greater";

const isSeen = ({ hop }: HopTask): boolean => videoFormats[hop.to] !== undefined || pictureFormats[hop.to] !== undefined;

/** Keeps `hasAlpha` of such a film only if a frame shows transparency. If that is unknown, it is kept. */
export async function withShownAlpha(session: ToolSession, task: HopTask, media: Media, demuxer: string): Promise<Media> {
  if (!isSeen(task)) return media;
  const isClear = !media.streams.some(mayBeClear) || (await hasFrame(session, media, demuxer, firstClearFrame));
  const shown = isClear
    ? media
    : { ...media, streams: media.streams.map((stream) => (mayBeClear(stream) ? { ...stream, hasAlpha: false } : stream)) };
  const isHardened = task.hop.to === "gif" && shown.streams.some(({ kind, hasAlpha }) => kind === "video" && hasAlpha) && demuxer !== "gif";
  if (isHardened && (await hasFrame(session, media, demuxer, firstVeiledFrame))) {
    task.note("ALPHA_FLATTENED", "Partly transparent pixels became fully transparent or opaque.");
  }
  return shown;
}

/** Whether a frame passes the filter; true if that cannot be determined. */
async function hasFrame(session: ToolSession, media: Media, demuxer: string, filter: string): Promise<boolean> {
  const input = [...inputArgs(demuxer), ...streamsOf(media, "video").slice(0, 1).flatMap(decoderArgs), "-i", `file:${inputInside}`];
  const end = await firstFrame(session, input, filter);
  return end.exitCode !== 0 || /^[0-9]/m.test(end.stdout);
}

const mayBeClear = ({ kind, pixelFormat, hasAlpha }: Stream): boolean =>
  kind === "video" && hasAlpha && /^(pal8|rgba|bgra|argb|abgr)/.test(pixelFormat);
