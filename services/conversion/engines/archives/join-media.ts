/** Joins sounds to one sound, pictures to an animation, and pictures and films to one film, with ffmpeg. */
import { writeFile } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import type { FileRef, OptionDefinition } from "#services/conversion/domain/engine.ts";
import { containerOf } from "../media/ffmpeg-formats.ts";
import { countOf, type Fields, fieldsOf, inputArgs, probe, rowsOf, textOf } from "../media/ffmpeg-probe.ts";
import { mediaBadInput } from "../media/ffmpeg-streams.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { numberOption, words } from "../shared/hop-table.ts";
import { decimalIn } from "../shared/options.ts";
import { probeOf } from "../shared/tool-run.ts";
import { bound, type Entry, type Joining, joinEngineOf, named } from "./join.ts";

const program = "/usr/bin/ffmpeg";
const limits = { addressSpace: false, processes: 256, fileBytes: 8 * 2 ** 30, folderBytes: 16 * 2 ** 30 };
const quiet = words("-nostdin -v error -y");
const damaged = "One of the files is damaged.";

const seconds = (unset: number): OptionDefinition =>
  decimalIn("seconds", [0.05, 60], "How long each picture is shown", { default: unset, unit: "s" });
const size = (name: "width" | "height", most: number): OptionDefinition => ({
  name,
  type: "integer",
  min: 16,
  max: 3840,
  unit: "px",
  description: `${name === "width" ? "Width" : "Height"} of the result; default: that of the first file, up to ${most}. Files with another aspect ratio are padded`,
});
const largest = { gif: 800, mp4: 1920 } as const;
const drawn = (to: "gif" | "mp4", unset: number) => [seconds(unset), size("width", largest[to]), size("height", largest[to])];

async function joinMedia(joining: Joining): Promise<void> {
  const { to } = joining.task.hop;
  if (to === "wav") await joinSounds(joining);
  else if (to === "gif") await joinPictures(joining);
  else await joinFilms(joining);
}

async function ffmpeg({ session }: Joining, args: readonly string[], readOnly: Readonly<Record<string, string>> = {}): Promise<void> {
  const end = await session.run({ program, args: [...quiet, ...args], readOnly, limits });
  throwIfFailed(end, mediaBadInput, damaged);
}

type Stream = {
  readonly width: number;
  readonly height: number;
  readonly isOpaque: boolean;
  readonly isSteady: boolean;
  readonly rate: number;
  readonly channels: number;
  readonly bits: number;
};
type Part = FileRef & { readonly entry: Entry; readonly sound: Stream | undefined; readonly picture: Stream | undefined };

const fields =
  "stream=codec_type,width,height,pix_fmt,r_frame_rate,sample_rate,channels,bits_per_sample:stream_side_data=rotation:stream_disposition=attached_pic";

/** Probes the first sound and the first picture of a file. */
async function partOf({ session }: Joining, entry: Entry, file: FileRef): Promise<Part> {
  const demuxer = file.format === "png" ? "png_pipe" : (containerOf(file.format)?.demuxer ?? "");
  const { paths, readOnly } = bound([file]);
  const bind: typeof session = Object.assign(Object.create(session), {
    run: (command: Parameters<typeof session.run>[0]) => session.run({ ...command, readOnly }),
  });
  const { answer } = await probe(bind, demuxer, paths[0] ?? "", fields);
  const streams = rowsOf(fieldsOf(answer.streams).stream).filter(({ disposition }) => countOf(fieldsOf(disposition).attached_pic) === 0);
  const streamOf = (sort: string): Stream | undefined => {
    const row = streams.find(({ codec_type: type }) => type === sort);
    return row === undefined ? undefined : factsOf(row);
  };
  return { ...file, entry, sound: streamOf("audio"), picture: streamOf("video") };
}

function factsOf(row: Fields): Stream {
  const turned = rowsOf(fieldsOf(row.side_data_list).side_data).some(({ rotation }) => Math.abs(countOf(rotation)) % 180 === 90);
  const [width, height] = [countOf(row.width), countOf(row.height)];
  return {
    width: turned ? height : width,
    height: turned ? width : height,
    isOpaque: !/^(rgba|argb|ya|gbrap|yuva)/.test(textOf(row.pix_fmt)),
    isSteady: textOf(row.r_frame_rate) === `${framesPerSecond}/1`,
    rate: countOf(row.sample_rate),
    channels: countOf(row.channels),
    bits: countOf(row.bits_per_sample),
  };
}

async function joinSounds(joining: Joining): Promise<void> {
  const { entries, convert, remark } = joining;
  const parts: Part[] = [];
  for (const entry of entries) parts.push(await partOf(joining, entry, await convert(entry, "wav")));
  const most = (of: (sound: Stream) => number): number => Math.max(...parts.map(({ sound }) => (sound === undefined ? 0 : of(sound))));
  const [rate, channels, bits] = [most((sound) => sound.rate), most((sound) => sound.channels), most((sound) => sound.bits)];
  if (channels > 2) throw new FilemillError("CONVERSION_FAILED", "Audio with more than two channels cannot be joined.");
  const layout = channels === 1 ? "mono" : "stereo";
  for (const { entry, sound } of parts) {
    if (sound === undefined) throw named(entry.name, new FilemillError("INVALID_INPUT", "The file has no audio."));
    if (sound.rate !== rate || sound.channels !== channels) remark(entry, `Fitted to ${rate} Hz, ${layout}.`);
  }
  const { paths, readOnly } = bound(parts);
  const inputs = paths.flatMap((path) => [...inputArgs("wav"), "-i", `file:${path}`]);
  const fitted = paths.map((_, index) => `[${index}:a:0]aresample=${rate},aformat=channel_layouts=${layout}[a${index}]`);
  const graph = `${fitted.join(";")};${paths.map((_, index) => `[a${index}]`).join("")}concat=n=${paths.length}:v=0:a=1[out]`;
  const codec = bits <= 16 ? "pcm_s16le" : bits <= 24 ? "pcm_s24le" : "pcm_s32le";
  const length = ["-filter_complex", graph, "-map", "[out]", "-c:a", codec, "-rf64", "auto", "-f", "wav", "/job/out"];
  await ffmpeg(joining, [...inputs, ...length], readOnly);
}

async function joinPictures(joining: Joining): Promise<void> {
  const parts: Part[] = [];
  for (const entry of joining.entries) parts.push(await partOf(joining, entry, await joining.convert(entry, "png")));
  const frame = frameOf(joining, parts);
  for (const [index, part] of parts.entries()) {
    const { paths, readOnly } = bound([part]);
    const target = ["-frames:v", "1", "-f", "image2", "-update", "1", `/job/frame-${String(index + 1).padStart(5, "0")}.png`];
    await ffmpeg(joining, [...inputArgs("png_pipe"), "-i", `file:${paths[0]}`, "-vf", fittedTo(joining, part, frame), ...target], readOnly);
  }
  const each = numberOption(joining.task.options, "seconds") ?? 1;
  const palette = "split[a][b];[a]palettegen=reserve_transparent=0[p];[b][p]paletteuse=dither=sierra2_4a";
  const inputs = ["-framerate", String(1 / each), "-f", "image2", "-i", "/job/frame-%05d.png"];
  // The last picture has no successor to define how long it is shown.
  await ffmpeg(joining, [...inputs, "-vf", palette, "-loop", "0", "-final_delay", String(Math.round(each * 100)), "-f", "gif", "/job/out"]);
}

const framesPerSecond = 30;
const soundOfFilms = words("-ar 48000 -ac 2 -c:a pcm_s16le");

async function joinFilms(joining: Joining): Promise<void> {
  const { session, entries, convert } = joining;
  const parts: Part[] = [];
  for (const entry of entries) {
    if (entry.kind === "audio") throw named(entry.name, new FilemillError("INVALID_INPUT", "An audio file cannot be part of a video."));
    const part = await partOf(joining, entry, await convert(entry, entry.kind === "video" ? "mp4" : "png"));
    if (part.picture === undefined) throw named(entry.name, new FilemillError("INVALID_INPUT", "The file has no pictures."));
    parts.push(part);
  }
  const frame = frameOf(joining, parts);
  const clips: string[] = [];
  for (const [index, part] of parts.entries()) {
    const clip = `clip-${index}.mkv`;
    clips.push(`file ${clip}`);
    await ffmpeg(
      joining,
      [...clipArgsOf(joining, part, { ...frame, rate: rateOf(joining, parts) }), "-f", "matroska", `/job/${clip}`],
      bound([part]).readOnly,
    );
  }
  await writeFile(session.pathOf("clips"), `ffconcat version 1.0\n${clips.join("\n")}\n`, { flag: "wx", mode: 0o644 });
  const list = ["-protocol_whitelist", "file", "-f", "concat", "-i", "file:/job/clips"];
  await ffmpeg(joining, [...list, ...words("-c:v copy -c:a aac -b:a 160k -movflags +faststart -f mp4 /job/out")]);
}

/** All clips have the same streams in the same formats. */
function clipArgsOf(joining: Joining, part: Part, frame: Frame & { readonly rate: number }): readonly string[] {
  const path = `file:${bound([part]).paths[0]}`;
  const silence = words("-f lavfi -i anullsrc=r=48000:cl=stereo");
  const fitted = fittedTo(joining, part, frame);
  const encoded = (filter: string): readonly string[] => [
    ...["-map", "0:v:0", "-vf", filter, ...words("-c:v libx264 -preset veryfast -crf 20 -pix_fmt yuv420p"), ...soundOfFilms],
  ];
  if (part.format === "png") {
    const each = String(numberOption(joining.task.options, "seconds") ?? 3);
    // Decoded and scaled once, however long it is shown.
    const still = `${fitted},tpad=stop_mode=clone:stop_duration=${each}`;
    const read = ["-framerate", String(frame.rate), ...inputArgs("png_pipe"), "-i", path];
    return [...read, ...silence, "-map", "1:a:0", ...encoded(still), "-t", each];
  }
  const film = [...inputArgs(containerOf(part.format)?.demuxer ?? ""), "-i", path];
  const moving = encoded(`${fitted},fps=${framesPerSecond}`);
  if (part.sound === undefined) return [...film, ...silence, "-map", "1:a:0", ...moving, "-shortest"];
  return [...film, "-map", "0:a:0", ...moving, "-af", "apad", "-shortest"];
}

type Frame = { readonly width: number; readonly height: number };

/** Frames per second: the usual rate for films, a lower one for slide shows. */
function rateOf({ task }: Joining, parts: readonly Part[]): number {
  if (parts.some(({ format }) => format !== "png")) return framesPerSecond;
  return (numberOption(task.options, "seconds") ?? 3) < 1 ? 20 : 10;
}

/** From the options, or from the size and shape of the first file. */
function frameOf({ task }: Joining, [first]: readonly Part[]): Frame {
  const { width = 640, height = 480 } = first?.picture ?? {};
  const most = task.hop.to === "gif" ? largest.gif : largest.mp4;
  const scale = Math.min(1, most / Math.max(width, height));
  const [wantedWidth, wantedHeight] = [numberOption(task.options, "width"), numberOption(task.options, "height")];
  const even = (length: number): number => Math.max(2, Math.round(length / 2) * 2);
  if (wantedWidth === undefined && wantedHeight === undefined) return { width: even(width * scale), height: even(height * scale) };
  return {
    width: even(wantedWidth ?? (width * (wantedHeight ?? height)) / height),
    height: even(wantedHeight ?? (height * (wantedWidth ?? width)) / width),
  };
}

/** Scaled to fit the frame, with black borders and black behind transparent pixels. */
function fittedTo({ remark }: Joining, { entry, picture, format }: Part, { width, height }: Frame): string {
  const isSame = picture?.width === width && picture.height === height;
  if (!isSame) remark(entry, `Fitted into ${width} × ${height} pixels.`);
  if (picture?.isOpaque === false) remark(entry, "Transparency was replaced with black.");
  if (format !== "png" && picture?.isSteady === false) remark(entry, `Shown at ${framesPerSecond} frames per second.`);
  const opaque = picture?.isOpaque === false ? "format=gbrap,premultiply=inplace=1,format=gbrp," : "";
  return `${opaque}scale=${width}:${height}:force_original_aspect_ratio=decrease,pad=${width}:${height}:-1:-1,setsar=1`;
}

export const joinMediaEngine = joinEngineOf({
  id: "join-media",
  label: "FFmpeg, joining files",
  lane: "media",
  packages: ["libarchive-tools", "ffmpeg"],
  targets: {
    wav: { fidelity: "high", cost: 1000 },
    gif: { fidelity: "reduced", cost: 1000, options: drawn("gif", 1) },
    mp4: { fidelity: "high", cost: 3000, options: drawn("mp4", 3) },
  },
  badInput: mediaBadInput,
  probe: probeOf(program, ["-version"], /version (\d[\d.]*)/),
  join: joinMedia,
});
