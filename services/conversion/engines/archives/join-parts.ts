/** The parts that ffmpeg joins to one sound, animation or film, and what it loses of each. */
import type { FileRef } from "#services/conversion/domain/engine.ts";
import { lostTags } from "../media/ffmpeg-changes.ts";
import { containerOf } from "../media/ffmpeg-formats.ts";
import { inputArgs } from "../media/ffmpeg-probe.ts";
import { type Media, mediaBadInput, readResult, type Stream, streamsOf } from "../media/ffmpeg-streams.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { numberOption, words } from "../shared/hop-table.ts";
import { bound, type Entry, type Joining } from "./join.ts";

/** A converted entry. */
export type Part = FileRef & {
  readonly entry: Entry;
  readonly media: Media;
  readonly sound: Stream | undefined;
  readonly picture: Stream | undefined;
};
export type Frame = { readonly width: number; readonly height: number };

const program = "/usr/bin/ffmpeg";
const limits = { addressSpace: false, processes: 256, fileBytes: 8 * 2 ** 30, folderBytes: 16 * 2 ** 30 };

export async function ffmpeg({ session }: Joining, args: readonly string[], parts: readonly Part[] = []): Promise<void> {
  const { readOnly } = bound(parts);
  const end = await session.run({ program, args: [...words("-nostdin -v error -y"), ...args], readOnly, limits });
  throwIfFailed(end, mediaBadInput, "One of the files is damaged.");
}

/** A sound or film, converted and probed. */
export async function partOf(joining: Joining, entry: Entry, to: "wav" | "mp4"): Promise<Part> {
  const part = await probed(joining, entry, await joining.convert(entry, to));
  const lost = lostOf(part, to);
  if (lost.length > 0) joining.remark(entry, `Left out: ${lost.join(", ")}.`);
  return part;
}

/** In sRGB with 8 bits, because ffmpeg ignores colour profiles; QOI also tells whether anything is transparent. Everything becomes PNG. */
export async function pictureOf(joining: Joining, entry: Entry): Promise<Part> {
  return await probed(joining, entry, await joining.convert(entry, "qoi", "png"));
}

async function probed({ session }: Joining, entry: Entry, file: FileRef): Promise<Part> {
  const { paths, readOnly } = bound([file]);
  const bind: typeof session = Object.assign(Object.create(session), {
    run: (command: Parameters<typeof session.run>[0]) => session.run({ ...command, readOnly }),
  });
  const media = await readResult(bind, demuxerOf(file), paths[0] ?? "");
  return { ...file, entry, media, sound: streamsOf(media, "audio")[0], picture: streamsOf(media, "video")[0] };
}

const demuxerOf = ({ format }: FileRef): string => (isStill({ format }) ? "qoi_pipe" : (containerOf(format)?.demuxer ?? ""));
export const isStill = ({ format }: Pick<Part, "format">): boolean => format === "qoi";
/** In the order in which `ffmpeg` binds them. */
export function inputsOf(parts: readonly Part[]): readonly string[] {
  return bound(parts).paths.flatMap((path, index) => [...inputArgs(demuxerOf(parts[index] as Part)), "-i", `file:${path}`]);
}

/** Joined parts have one track of each kind, without tags. */
function lostOf({ media }: Part, to: "wav" | "mp4"): readonly string[] {
  const kinds = to === "wav" ? (["audio", "cover"] as const) : (["video", "audio", "subtitle", "cover"] as const);
  const tracks = kinds.flatMap((kind) => {
    const left = streamsOf(media, kind).length - (kind === "video" || kind === "audio" ? 1 : 0);
    return left < 1 ? [] : [counted(left, kind === "cover" ? "cover picture" : `${kind} track`)];
  });
  const tags = lostTags(media.tags, {});
  return [
    ...tracks,
    ...(media.chapters.length > 0 ? [counted(media.chapters.length, "chapter")] : []),
    ...(tags.length > 0 ? [`tags (${tags.join(", ")})`] : []),
  ];
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** The size at which a player shows the part. */
function shownSize({ picture }: Part): Frame | undefined {
  if (picture === undefined) return undefined;
  const { width, height, pixelAspect, isSideways } = picture;
  const [wide, high] = [Math.round(width * Math.max(1, pixelAspect)), Math.round(height / Math.min(1, pixelAspect))];
  return isSideways ? { width: high, height: wide } : { width: wide, height: high };
}

/** From the options, or from the size and shape of the first part. */
export function frameOf({ task }: Joining, [first]: readonly Part[], most: number): Frame {
  const { width, height } = (first && shownSize(first)) ?? { width: 640, height: 480 };
  const scale = Math.min(1, most / Math.max(width, height));
  const [wantedWidth, wantedHeight] = [numberOption(task.options, "width"), numberOption(task.options, "height")];
  const even = (length: number): number => Math.max(2, Math.round(length / 2) * 2);
  if (wantedWidth === undefined && wantedHeight === undefined) return { width: even(width * scale), height: even(height * scale) };
  return {
    width: even(wantedWidth ?? (width * (wantedHeight ?? height)) / height),
    height: even(wantedHeight ?? (height * (wantedWidth ?? width)) / width),
  };
}

/** Scaled to fit the frame, with black borders and black behind transparent pixels. `scaling` are further arguments of the scaler. */
export function fittedTo({ remark }: Joining, part: Part, frame: Frame, scaling: readonly string[] = []): readonly string[] {
  const { entry, picture } = part;
  const { width, height } = shownSize(part) ?? frame;
  const scale = Math.min(frame.width / width, frame.height / height);
  const [fitWidth, fitHeight] = [width, height].map((length) => Math.max(1, Math.round(length * scale)));
  if (width !== frame.width || height !== frame.height) remark(entry, `Fitted into ${frame.width} × ${frame.height} pixels.`);
  if (picture?.hasAlpha === true) remark(entry, "Transparency was replaced with black.");
  return [
    ...(picture?.hasAlpha === true ? ["format=gbrap", "premultiply=inplace=1", "format=gbrp"] : []),
    [`scale=${fitWidth}:${fitHeight}`, ...scaling].join(":"),
    ...(scaling.length === 0 ? [] : ["format=yuv420p"]),
    `pad=${frame.width}:${frame.height}:-1:-1`,
    "setsar=1",
  ];
}
