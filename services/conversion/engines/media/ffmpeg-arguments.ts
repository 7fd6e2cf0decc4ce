/** The argument list of one run. fluent-ffmpeg only orders the arguments as ffmpeg expects; it does not start anything. */
import createCommand from "fluent-ffmpeg";
import { FilemillError, invalidOption } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { assertPart, noteLeftOut } from "#services/conversion/domain/parts.ts";
import { flagOption, numberOption, stringOption } from "../shared/hop-table.ts";
import { inputInside } from "../shared/tool-run.ts";
import { broadcastArgs, recordingArgs, withoutTechnicalTags } from "./ffmpeg-broadcast.ts";
import { chapterArgs } from "./ffmpeg-chapters.ts";
import { deepFormatOf } from "./ffmpeg-colour.ts";
import { soundsHeld, withoutTrack } from "./ffmpeg-completeness.ts";
import { type Container, holdsEdits, isoDemuxer } from "./ffmpeg-container.ts";
import { exactSteps, lastShown } from "./ffmpeg-delays.ts";
import { passArgs } from "./ffmpeg-fitting.ts";
import { containerOf, encoders, pictureFormats } from "./ffmpeg-formats.ts";
import { filmFilters } from "./ffmpeg-frames.ts";
import { seekingOf } from "./ffmpeg-keyframes.ts";
import { deepArgs } from "./ffmpeg-light.ts";
import { holdsAnything, isOwn, paceFilters, speedOf, strictArgs, subtitlePaceArgs, withOwnFilm } from "./ffmpeg-own.ts";
import { pictureArgs } from "./ffmpeg-pictures.ts";
import { inputArgs } from "./ffmpeg-probe.ts";
import { bitrateArgs, qualityArgs, withoutQuality } from "./ffmpeg-quality.ts";
import { audioCodecArgs, clockArgs } from "./ffmpeg-sound.ts";
import { decoderArgs, type Media, type Stream, streamsOf } from "./ffmpeg-streams.ts";
import { videoFormats } from "./ffmpeg-video-formats.ts";

export const outputInside = "/job/out";
type Command = ReturnType<typeof createCommand>;

/** fluent-ffmpeg builds the list in a method that its types do not declare. */
function argumentsOf(command: Command): string[] {
  const build: unknown = Reflect.get(command, "_getArguments");
  if (typeof build !== "function") throw new FilemillError("INTERNAL", "The argument builder of ffmpeg has changed.");
  const list: unknown = build.call(command);
  if (!Array.isArray(list)) throw new FilemillError("INTERNAL", "The argument builder of ffmpeg has changed.");
  return list.map(String);
}

/**
 * @throws FilemillError INVALID_INPUT if the file has nothing that the target can hold, INVALID_OPTION.
 */
export function ffmpegArgumentsOf(task: HopTask, media: Media, demuxer: string): string[] {
  const target = containerOf(task.hop.to);
  if (target?.muxer === undefined) throw new FilemillError("INTERNAL", "ffmpeg has no such target.");
  const start = numberOption(task.options, "start") ?? numberOption(task.options, "at");
  const duration = numberOption(task.options, "duration");
  const isPaced = speedOf(task) !== 1;
  if (start !== undefined && media.durationSeconds > 0 && start >= media.durationSeconds) {
    const option = task.options.start === undefined ? "at" : "start";
    const message = `\`${option}\` is after the end; the file is ${media.durationSeconds.toFixed(1)} seconds long.`;
    throw invalidOption(option, message, `less than ${media.durationSeconds}`);
  }
  const { skipped, discarded } = seekingOf(demuxer, media.copyFromSeconds ?? start ?? 0);
  const command = createCommand()
    .input(`file:${inputInside}`)
    .inputOptions([
      ...(demuxer === "mpeg" || demuxer === "avi" ? ["-fflags", "+genpts"] : []),
      ...(skipped === 0 ? [] : ["-ss", String(skipped)]),
      // With a changed speed, the requested times refer to the source.
      ...(duration !== undefined && isPaced ? ["-t", String(duration + discarded)] : []),
      ...inputArgs(demuxer),
      ...media.streams.flatMap(decoderArgs),
    ]);
  if (media.chapterList !== undefined) command.input(`file:${media.chapterList}`).inputOptions("-f", "ffmetadata");
  const isPicture = pictureFormats[task.hop.to] !== undefined;
  const holdsVideo = videoFormats[task.hop.to] !== undefined;
  const streamArgs = isPicture
    ? pictureArgs(task, media, target)
    : holdsVideo
      ? filmArgs(task, media, target)
      : target.subtitles === undefined
        ? soundArgs(task, media, target)
        : subtitleArgs(task, media, target.subtitles);
  command
    .output(`file:${outputInside}`)
    // Passed separately: in a list, fluent-ffmpeg splits each two-word string into a name and a value.
    .outputOptions(
      // Before the chapters, which are tags in Ogg: removing a tag moves the last one to its place.
      ...withoutTechnicalTags(target.muxer),
      ...streamArgs,
      // Otherwise copied sound would start at the preceding key frame.
      ...(holdsVideo && (start ?? 0) > 0 ? ["-copypriorss", "0"] : []),
      ...(discarded === 0 ? [] : ["-ss", String(discarded / speedOf(task))]),
      ...(duration === undefined || isPaced ? [] : ["-t", String(duration)]),
      ...(strips(task) ? ["-map_metadata", "-1"] : media.tagsAreInStream && !isPicture ? ["-map_metadata", "0:s:0"] : []),
      ...(strips(task) ? [] : recordingArgs(media, target.muxer)),
      // Downmixed channels do not get louder than each was.
      ...["-rematrix_maxval", "1"],
      ...["-threads", "2", ...strictArgs(task, media), ...(target.muxerArgs ?? []), "-f", target.muxer],
    );
  // A second run overwrites the result of the first.
  return ["-nostdin", "-hide_banner", "-y", "-v", "error", "-progress", "pipe:1", "-stats_period", "0.5", ...argumentsOf(command)];
}

/** Whether tags and cover are left out. */
function strips({ options }: HopTask): boolean {
  return options.metadata === "strip";
}

/** QuickTime stores languages as numbers, and ffmpeg accepts one name for each. */
const quickTimeNames: Readonly<Record<string, string>> = {
  ...{ deu: "ger", fre: "fra", nld: "dut", swe: "sve", ell: "gre", isl: "ice", zho: "chi", sqi: "alb", rum: "ron", cze: "ces", slo: "slk" },
  ...{ mkd: "mac" },
};

/** Kept even when metadata is stripped: the language is no private data, and players choose tracks by it. */
function languagesOf(target: Container, sort: "a" | "s", tracks: readonly Stream[]): string[] {
  return tracks.flatMap(({ language }, index) => {
    if (!/^[a-z]{2,3}$/.test(language)) return [];
    return [`-metadata:s:${sort}:${index}`, `language=${(target.muxer === "mov" ? quickTimeNames[language] : undefined) ?? language}`];
  });
}

/** The requested track, otherwise the file's default, as in players. */
function soundOf(task: HopTask, media: Media): Stream {
  const tracks = streamsOf(media, "audio");
  const asked = numberOption(task.options, "track");
  if (asked !== undefined) assertPart("track", asked, tracks.length);
  const place =
    asked === undefined
      ? Math.max(
          0,
          tracks.findIndex(({ isDefault }) => isDefault),
        )
      : asked - 1;
  const sound = tracks[place];
  if (sound === undefined) throw withoutTrack(media, "audio", "The file has no audio.");
  noteLeftOut(task, "track", place + 1, tracks.length);
  return sound;
}

const isTextual = ({ codec }: Stream): boolean => /^(subrip|srt|ass|ssa|webvtt|mov_text|text|eia_608)$/.test(codec);

/** The subtitle tracks that a film keeps in a target with subtitles. */
export const keptSubtitlesOf = (task: HopTask, media: Media): readonly Stream[] =>
  streamsOf(media, "subtitle").filter((track) => holdsAnything(task) || isTextual(track));

const isStyled = ({ codec }: Stream): boolean => /^(ass|ssa|eia_608)$/.test(codec);

/** Subtitles are copied if the target can hold them, which keeps their styles and positions. */
function subtitleCodecs(task: HopTask, { muxer, subtitles = "" }: Container, tracks: readonly Stream[]): string[] {
  return tracks.flatMap((track, place) => {
    const isHeld =
      holdsAnything(task) || (muxer === "matroska" ? /^(subrip|ass|ssa|webvtt)$/.test(track.codec) : track.codec === subtitles);
    if (!isHeld && isStyled(track)) task.note("STYLING_DROPPED", "Styles and positions of subtitles were left out.");
    return [`-c:s:${place}`, isHeld ? "copy" : subtitles];
  });
}

function subtitleArgs(task: HopTask, media: Media, encoder: string): string[] {
  const all = streamsOf(media, "subtitle");
  const asked = numberOption(task.options, "subtitle");
  if (asked !== undefined && all.length > 0 && asked > all.length) {
    const tracks = `1 to ${all.length}`;
    throw invalidOption("subtitle", `There is no such subtitle track; the video has ${tracks}.`, tracks);
  }
  const textual = all.filter(isTextual);
  const chosen = asked === undefined ? (textual.find(({ isDefault }) => isDefault) ?? textual[0]) : all[asked - 1];
  if (all.length === 0) throw withoutTrack(media, "subtitle", "The video has no subtitles.");
  if (chosen === undefined || !isTextual(chosen)) {
    throw new FilemillError("INVALID_INPUT", "These subtitles are pictures of text and would need OCR.");
  }
  if (all.length > 1) task.note("TRACKS_LEFT_OUT", `Only subtitle track ${all.indexOf(chosen) + 1} of ${all.length} was extracted.`);
  if (isStyled(chosen) && encoder !== "ass") task.note("STYLING_DROPPED", "Styles and positions of subtitles were left out.");
  return ["-map", `0:${chosen.index}`, "-c:s", encoder];
}

function coverOf(task: HopTask, media: Media, target: Container): Stream | undefined {
  const covers = strips(task) || target.cover !== true ? [] : streamsOf(media, "cover");
  return covers.find(({ codec }) => codec === "mjpeg" || codec === "png");
}

/** The film's arguments, which must come first among the video arguments, followed by those of its cover. */
function withCover(args: readonly string[], cover: Stream | undefined): string[] {
  if (cover === undefined) return [...args];
  const ofFilm = args.map((arg) => (/^-(c:v|filter:v|tag:v)$/.test(arg) ? `${arg}:0` : arg === "-r" ? "-r:v:0" : arg));
  return ["-map", `0:${cover.index}`, ...ofFilm, "-c:v:1", "copy", "-disposition:v:1", "attached_pic"];
}

/** Leading samples of silence in formats that do not declare them. */
const leadingSilence: Readonly<Record<string, number>> = { aac: 1024, ac3: 256, eac3: 256, mp2: 481 };

/** Whether only the source's container declares the padding, not the packets. */
const marksPadding = ({ hop }: HopTask, { codec }: Stream): boolean =>
  (codec === "aac" && containerOf(hop.from)?.demuxer === isoDemuxer) || (codec === "mp3" && hop.from === "mp3");

function soundArgs(task: HopTask, media: Media, target: Container): string[] {
  const sound = soundOf(task, media);
  const cover = coverOf(task, media, target);
  const codecArgs = audioCodecArgs(task, media, sound, target);
  const [, codec = ""] = codecArgs;
  const silence = leadingSilence[task.hop.to];
  if (silence !== undefined && (codec !== "copy" || containerOf(task.hop.from)?.demuxer === isoDemuxer)) {
    task.note("MEDIA_CHANGED", `The audio starts ${silence} samples later, because the format cannot mark the encoder's padding.`);
  }
  if (codec === "copy" && target.muxer === "matroska" && marksPadding(task, sound)) {
    task.note(
      "MEDIA_CHANGED",
      "The audio starts and ends a few hundredths of a second later, because the format cannot mark the encoder's padding.",
    );
  }
  return [
    ...["-map", `0:${sound.index}`],
    ...(cover === undefined ? ["-vn"] : ["-map", `0:${cover.index}`, "-c:v", "copy", "-disposition:v", "attached_pic"]),
    ...codecArgs,
    ...clockArgs(task, target, sound),
    ...chapterArgs(task, media, target.muxer),
    ...broadcastArgs(task, media, target.muxer),
    ...(/^(und|)$/.test(sound.language) ? [] : ["-metadata", `language=${sound.language}`]),
  ];
}

function filmArgs(task: HopTask, media: Media, target: Container): string[] {
  const [film, ...otherFilms] = streamsOf(media, "video");
  if (film === undefined) throw withoutTrack(media, "video", "The file has no video.");
  if (media.plays !== undefined && media.plays !== 1) {
    const times = media.plays === 0 ? "forever" : `${media.plays} times`;
    task.note("MEDIA_CHANGED", `The animation plays ${times}, the video once.`);
  }
  const sounds = flagOption(task.options, "mute") ? [] : streamsOf(media, "audio");
  const kept = soundsHeld(target, sounds);
  if (otherFilms.length > 0) task.note("TRACKS_LEFT_OUT");
  const [heard] = kept;
  if (heard !== undefined && kept.length < sounds.length) noteLeftOut(task, "track", sounds.indexOf(heard) + 1, sounds.length);
  const subtitles = target.subtitles === undefined ? [] : keptSubtitlesOf(task, media);
  if (subtitles.length < streamsOf(media, "subtitle").length)
    task.note("TRACKS_LEFT_OUT", "Subtitles that the format does not support were left out.");
  return [
    ...[
      "-map",
      `0:${film.index}`,
      ...kept.flatMap(({ index }) => ["-map", `0:${index}`]),
      ...subtitles.flatMap(({ index }) => ["-map", `0:${index}`]),
      ...(holdsAnything(task) && !strips(task) ? ["-map", "0:t?"] : []),
    ],
    ...withCover(videoCodecArgs(task, media, film, target), coverOf(task, media, target)),
    ...(kept.length === 0 ? ["-an"] : kept.flatMap((sound, place) => ofTrack(place, audioCodecArgs(task, media, sound, target)))),
    ...subtitleCodecs(task, target, subtitles),
    ...(subtitles.length === 0 ? [] : subtitlePaceArgs(task)),
    // Otherwise FFmpeg makes the first of several the default.
    ...(subtitles.some(({ isDefault }) => isDefault) ? [] : subtitles.slice(1, 2).flatMap(() => ["-disposition:s:0", "-default"])),
    ...[...languagesOf(target, "a", kept), ...languagesOf(target, "s", subtitles), "-max_muxing_queue_size", "4096"],
    ...chapterArgs(task, media, target.muxer),
  ];
}

/** Makes options apply to one track instead of all. */
function ofTrack(place: number, args: readonly string[]): string[] {
  const names: Readonly<Record<string, string>> = { "-ar": "-ar:a", "-ac": "-ac:a", "-sample_fmt": "-sample_fmt:a" };
  return args.map((arg) => (/^-(c:a|filter:a|b:a|q:a|ar|ac|sample_fmt)$/.test(arg) ? `${names[arg] ?? arg}:${place}` : arg));
}

function videoCodecArgs(task: HopTask, media: Media, film: Stream, container: Container): string[] {
  const { options } = task;
  const target = withOwnFilm(task, container, film);
  const choice = stringOption(options, "videoCodec");
  const [crf, fps, bitrate] = [numberOption(options, "crf"), numberOption(options, "fps"), numberOption(options, "videoBitrate")];
  const isReshaped =
    ["width", "height", "crop"].some((name) => options[name] !== undefined) || (stringOption(options, "rotate") ?? "0") !== "0";
  const cuts = (options.start !== undefined || options.duration !== undefined) && media.copyFromSeconds === undefined;
  const untouched = crf === undefined && fps === undefined && bitrate === undefined && !isReshaped && !cuts && speedOf(task) === 1;
  const fits = choice === undefined ? (target.copyVideo?.includes(film.codec) ?? false) : film.codec === choice;
  // A bare stream has no timestamps, so B-frames would be written in the wrong order.
  const isBare = /^(h264|hevc)$/.test(task.hop.from) || (/^m[12]v$/.test(task.hop.from) && !/^(mpeg|vob)$/.test(target.muxer ?? ""));
  // Only the MP4 family is written with the rotation of a phone's film, and trimmed as it is; encoding applies both to the film.
  const stands = !(film.isTurned || media.isTrimmed) || holdsEdits(target);
  if (untouched && fits && !isBare && stands && plays(task, film))
    return ["-c:v", "copy", ...(film.codec === "hevc" && /^(mp4|mov)$/.test(target.muxer ?? "") ? ["-tag:v", "hvc1"] : [])];
  const encoder = choice === undefined ? target.video : encoders[choice];
  if (encoder === undefined) throw new FilemillError("INTERNAL", "ffmpeg has no encoder for this target.");
  const [name = ""] = encoder;
  const rate =
    fps ??
    (target.fixedRate === true
      ? standardRateOf(film.framesPerSecond)
      : target.muxer === "asf" && film.framesPerSecond > 60
        ? 30
        : undefined);
  return [
    "-c:v",
    ...deepArgs(task, media, bitrate === undefined ? encoder : withoutQuality(encoder), deepFormatOf(film, name, target.muxer)),
    "-filter:v",
    [...lastShown(media, film), filmFilters(task, film, name, target), ...paceFilters(task, film)].join(","),
    ...(rate === undefined ? exactSteps(media) : ["-r", String(rate)]),
    ...(bitrate === undefined
      ? qualityArgs(name, crf, stringOption(options, "preset"))
      : [...bitrateArgs(name, bitrate, task), ...passArgs(name, media)]),
  ];
}

/** Browsers and phones play H.264 in MP4 only as 8-bit 4:2:0. */
function plays(task: HopTask, { codec, pixelFormat }: Stream): boolean {
  return isOwn(task) || codec !== "h264" || !/^(mp4|m4v)$/.test(task.hop.to) || /^(yuvj?420p|gray|nv12)$/.test(pixelFormat);
}

/** MPEG-1 and MPEG-2 allow only a few frame rates. */
function standardRateOf(rate: number): number {
  const allowed = [23.976, 24, 25, 29.97, 30, 50, 59.94, 60];
  return allowed.reduce((best, next) => (Math.abs(next - rate) < Math.abs(best - rate) ? next : best), 25);
}
