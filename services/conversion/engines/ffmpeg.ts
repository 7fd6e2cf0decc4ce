/** Sound, film, animations and stills by ffmpeg: streams are copied where the target can hold them, else encoded. */
import { FilemillError } from "#kit/errors.ts";
import { defineEngine, type HopTask } from "../domain/engine.ts";
import type { Sandbox, SandboxEnd } from "../domain/sandbox.ts";
import { saysBadInput } from "./bad-input.ts";
import { withShownAlpha } from "./ffmpeg-alpha.ts";
import { ffmpegArgumentsOf } from "./ffmpeg-arguments.ts";
import { withDelays } from "./ffmpeg-delays.ts";
import { containerOf, subtitleFormats } from "./ffmpeg-formats.ts";
import { ffmpegHops } from "./ffmpeg-hops.ts";
import { withFirstShown } from "./ffmpeg-pictures.ts";
import { type Media, mediaBadInput, readMedia } from "./ffmpeg-streams.ts";
import { numberOption } from "./hop-table.ts";
import { openToolSession, versionLineOf } from "./tool-run.ts";

/** Encoders reserve stacks for many threads; the resident limit is watched all the same. */
const limits = { addressSpace: false, processes: 256, fileBytes: 8 * 2 ** 30, folderBytes: 8 * 2 ** 30 };
/** A container may round, and its longest track may be another than the converted one. */
const toleratedShareMissing = 0.1;
const toleratedSecondsMissing = 1.5;

async function run(sandbox: Sandbox, task: HopTask): Promise<void> {
  const demuxer = demuxerOf(task);
  await using session = await openToolSession(sandbox, task);
  const read = await withShownAlpha(session, await readMedia(session, task, demuxer), demuxer);
  const media = await withDelays(session, await withFirstShown(session, task, read, demuxer), demuxer);
  const expectedSeconds = expectedSecondsOf(task, media);
  let writtenSeconds = 0;
  let writtenFrames = 0;
  const end = await session.run({
    program: "/usr/bin/ffmpeg",
    args: ffmpegArgumentsOf(task, media, demuxer),
    limits,
    onLine(line) {
      writtenFrames = Math.max(writtenFrames, Number(/^frame=(\d+)$/.exec(line)?.[1] ?? 0));
      const microseconds = Number(/^out_time_us=(\d+)$/.exec(line)?.[1] ?? Number.NaN);
      if (Number.isNaN(microseconds)) return;
      writtenSeconds = Math.max(writtenSeconds, microseconds / 1e6);
      if (expectedSeconds > 0) task.progress(Math.min(0.99, writtenSeconds / expectedSeconds));
    },
  });
  assertConverted(task, end, writtenSeconds, expectedSeconds);
  if (writtenFrames === 0 && writtenSeconds === 0 && !isText(task)) {
    throw new FilemillError("INVALID_INPUT", "The file is empty or damaged: nothing of it could be decoded.");
  }
  await session.adopt("out");
}

async function soundTracksOf(sandbox: Sandbox, task: HopTask): Promise<readonly string[]> {
  await using session = await openToolSession(sandbox, task);
  const { streams } = await readMedia(session, task, demuxerOf(task));
  const tracks = streams.filter(({ kind }) => kind === "audio");
  if (tracks.length === 0) throw new FilemillError("INVALID_INPUT", "The file has no sound.");
  return tracks.map(({ language }) => language);
}

function demuxerOf(task: HopTask): string {
  const demuxer = containerOf(task.input.format)?.demuxer;
  if (demuxer === undefined) throw new FilemillError("INTERNAL", "ffmpeg does not read this format.");
  return demuxer;
}

/** Subtitles have no frames, and end with the last word. */
function isText({ hop }: HopTask): boolean {
  return subtitleFormats[hop.to] !== undefined;
}

/** How long the result should be; 0 when nobody knows or it has no length. */
function expectedSecondsOf(task: HopTask, media: Media): number {
  // A still has no length, and the WebP encoder hands everything over at the end.
  if (task.hop.options.some((option) => option.name === "time") || task.hop.to === "webp" || isText(task)) return 0;
  const rest = Math.max(0, media.durationSeconds - (numberOption(task.options, "start") ?? 0));
  const asked = numberOption(task.options, "duration");
  return asked === undefined ? rest : media.durationSeconds === 0 ? asked : Math.min(asked, rest);
}

/** Exit code 0 proves nothing: a truncated film ends with 0 after the part that is there. */
function assertConverted(task: HopTask, end: SandboxEnd, writtenSeconds: number, expectedSeconds: number): void {
  if (end.exitCode !== 0) {
    if (saysBadInput(end, mediaBadInput)) throw new FilemillError("INVALID_INPUT", "The file is damaged and could not be decoded.");
    throw new FilemillError("CONVERSION_FAILED", "The file could not be converted to this format.");
  }
  const missing = expectedSeconds - writtenSeconds;
  const isShort = missing > toleratedSecondsMissing && missing > expectedSeconds * toleratedShareMissing;
  if (isShort && writtenSeconds < expectedSeconds * toleratedShareMissing) {
    throw new FilemillError("INVALID_INPUT", "The file is truncated or damaged: almost nothing of it could be decoded.");
  }
  const hasErrors = /Error while decoding|Invalid data found|truncat|corrupt|Packet mismatch|partial file/i.test(end.stderr);
  if (isShort) task.note("INPUT_DAMAGED", `Only ${writtenSeconds.toFixed(1)} of ${expectedSeconds.toFixed(1)} seconds could be read.`);
  else if (hasErrors) task.note("INPUT_DAMAGED");
}

export const ffmpegEngine = defineEngine({
  id: "ffmpeg",
  label: "FFmpeg",
  lane: "media",
  packages: ["ffmpeg"],
  hops: ffmpegHops,
  badInput: mediaBadInput,
  async probe(sandbox) {
    const line = await versionLineOf(sandbox, "/usr/bin/ffmpeg", ["-version"]);
    return line === undefined ? undefined : /version (\d[\d.]*)/.exec(line)?.[1];
  },
  async open({ sandbox }) {
    return {
      run: (task) => run(sandbox, task),
      parts: (task) => soundTracksOf(sandbox, task),
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
});
