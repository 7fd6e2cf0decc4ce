/** Metadata of a recording: who made it, when, and in Broadcast Wave the time of day at which it starts. */

import type { HopTask } from "#services/conversion/domain/engine.ts";
import { numberOption } from "../shared/hop-table.ts";
import type { Media } from "./ffmpeg-streams.ts";

/** FFmpeg reads these under other names than it writes. */
const names: Readonly<Record<string, string>> = {
  comment: "description",
  encoded_by: "originator",
  date: "origination_date",
  creation_time: "origination_time",
};

/**
 * The original `bext` chunk of a WAV, if the source has one or came from a file with one. For an excerpt, the start time is shifted.
 *
 * @see EBU Tech 3285, 2.3
 */
export function broadcastArgs({ options }: HopTask, { tags, streams }: Media, muxer: string | undefined): readonly string[] {
  const { time_reference: reference } = tags;
  if (muxer !== "wav" || reference === undefined || options.metadata === "strip") return [];
  const rate = streams.find(({ kind }) => kind === "audio")?.sampleRate ?? 0;
  const begins = Number(reference) + Math.round((numberOption(options, "start") ?? 0) * rate);
  const told = Object.entries(names).flatMap(([read, written]) => {
    const value = tags[read];
    return value === undefined ? [] : ["-metadata", `${written}=${value}`];
  });
  return ["-write_bext", "1", ...told, ...(Number.isSafeInteger(begins) ? ["-metadata", `time_reference=${begins}`] : [])];
}

/** Sound recorders state a time of day here instead. */
const isDate = (time: string): boolean => /^\d{4}-\d\d-\d\dT/.test(time);
/** Tags of the container itself, besides those that a phone adds. */
const ofContainer = /^(major_brand|minor_version|compatible_brands|creation_time|encoder)$/;

/** When a film was recorded, and what an iPhone adds: ffmpeg only writes these on request. */
export function recordingArgs({ tags }: Media, muxer = ""): readonly string[] {
  const { creation_time: time = "" } = tags;
  const isHeld = isDate(time) && /^(mp4|mov|ipod|3gp|3g2|f4v|matroska|webm)$/.test(muxer);
  // This hides other tags from most players.
  const names = Object.keys(tags).filter((name) => !ofContainer.test(name));
  const isPhones = names.length > 0 && names.every((name) => name.startsWith("com_apple_quicktime_")) && /^(mp4|mov)$/.test(muxer);
  return [...(isHeld ? ["-metadata", `creation_time=${time}`] : []), ...(isPhones ? ["-movflags", "+use_metadata_tags"] : [])];
}

/** Removes what FFmpeg reports of the container MP4 as if it were tags. */
export function withoutTechnicalTags(muxer: string): readonly string[] {
  const ofFile = ["major_brand", "minor_version", "compatible_brands"].flatMap((name) => ["-metadata", `${name}=`]);
  const ofTracks = ["vendor_id", ...(/^og|^opus/.test(muxer) ? ["handler_name"] : [])];
  return [...ofFile, ...ofTracks.flatMap((name) => ["-metadata:s", `${name}=`])];
}
