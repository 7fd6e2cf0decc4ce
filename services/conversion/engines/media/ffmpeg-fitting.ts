/** Film with a size limit: if the result is larger, it is encoded again in two passes at the bit rate that fits. */
import { invalidOption } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { numberOption } from "../shared/hop-table.ts";
import { convertedOf } from "./ffmpeg-completeness.ts";
import type { Media } from "./ffmpeg-streams.ts";

/** The rest is the container's overhead. */
const share = 0.97;
/** In kbit/s. */
const leastFilm = 20;
/** Some encoders refuse other rates. */
const soundRates = [32, 48, 56, 64, 80, 96, 112, 128];
const leastSound = Math.min(...soundRates);
const most = 4;

type Encoding<Run> = {
  /** The run that wrote the current result. */
  readonly first: Run;
  readonly encode: (task: HopTask, media: Media) => Promise<Run>;
  readonly sizeOf: () => Promise<number>;
};

/**
 * Returns the run whose result fits: the first one if there is no limit or its result fits.
 *
 * @throws FilemillError INVALID_OPTION for a film that cannot be made that small.
 */
export async function fitted<Run extends { readonly seconds: number }>(
  task: HopTask,
  media: Media,
  { first, encode, sizeOf }: Encoding<Run>,
): Promise<Run> {
  const { seconds } = first;
  const maxMb = numberOption(task.options, "maxMb");
  if (maxMb === undefined || seconds === 0) return first;
  const limit = maxMb * 1e6;
  if ((await sizeOf()) <= limit) return first;
  const sounds = convertedOf(task, media).filter(({ kind }) => kind === "audio").length;
  const total = ((limit * 8) / 1000 / seconds) * share;
  const usual = soundRates.findLast((rate) => rate <= (total * 0.15) / Math.max(1, sounds)) ?? leastSound;
  const audioBitrate = numberOption(task.options, "audioBitrate") ?? usual;
  let videoBitrate = Math.floor(total - audioBitrate * sounds);
  const at = (): HopTask => ({ ...task, options: { ...task.options, videoBitrate, audioBitrate } });
  for (let attempt = 0; attempt < most && videoBitrate >= leastFilm; attempt++) {
    if (attempt === 0) await encode(at(), { ...media, pass: 1 });
    const run = await encode(at(), { ...media, pass: 2 });
    const size = await sizeOf();
    if (size <= limit) {
      const ofSound = sounds === 0 ? "" : `, its audio at ${audioBitrate}`;
      task.note("FITTED_TO_SIZE", `The video was encoded at ${videoBitrate} kbit/s${ofSound}.`);
      return run;
    }
    videoBitrate = Math.floor(((videoBitrate * limit) / size) * share);
  }
  const least = `more than ${(((leastFilm + leastSound * sounds) * seconds) / 8000 / share).toFixed(2)}`;
  throw invalidOption("maxMb", `A video of ${seconds.toFixed(1)} seconds cannot be made that small; allow ${least} MB.`, least);
}

/** Arguments for one of two passes; encoders without passes only get the bit rate. */
export function passArgs(encoder: string, { pass }: Media): readonly string[] {
  if (pass === undefined) return [];
  if (encoder === "libx265") return ["-x265-params", `log-level=error:pass=${pass}:stats=/job/pass`];
  return /^(lib(x264|vpx|vpx-vp9|theora)|mpeg4|mpeg2video|wmv2)$/.test(encoder) ? ["-pass", String(pass), "-passlogfile", "/job/pass"] : [];
}
