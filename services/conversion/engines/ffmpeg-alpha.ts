/** Films may have transparency, which hardly any encoder keeps. */
import type { HopTask } from "../domain/engine.ts";
import type { Stream } from "./ffmpeg-streams.ts";

/** Where a picture is transparent its colours mean nothing: seen as a negative, black is put there, which is white. */
const ontoWhite = "format=gbrap,negate=components=r+g+b,premultiply=inplace=1,negate=components=r+g+b,format=gbrp";

/** The filters with one before them that flattens what is transparent, which is noted. */
export function flattening(task: HopTask, film: Stream, filters: string): string {
  if (!film.hasAlpha) return filters;
  task.note("ALPHA_FLATTENED", "Transparency was flattened onto white.");
  return `${ontoWhite},${filters}`;
}
