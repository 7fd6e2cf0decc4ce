/** Broadcasts with several programs, each of which has its own video, audio and subtitles. */
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { type Media, streamsOf } from "./ffmpeg-streams.ts";
import { videoFormats } from "./ffmpeg-video-formats.ts";

/** For video: the program of the first video, without the tracks of others, which belong to other pictures. */
export function withOneProgram(task: HopTask, media: Media): Media {
  const [film] = streamsOf(media, "video");
  const shown = media.programs.find((indices) => film !== undefined && indices.includes(film.index));
  if (videoFormats[task.hop.to] === undefined || shown === undefined || media.programs.length < 2) return media;
  task.note("TRACKS_LEFT_OUT", `Only one of ${media.programs.length} programs was converted.`);
  const others = new Set(media.programs.flat().filter((index) => !shown.includes(index)));
  return { ...media, streams: media.streams.filter(({ index }) => !others.has(index)) };
}
