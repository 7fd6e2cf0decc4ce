/** Sound, film, animations and stills by ffmpeg: streams are copied if the target can hold them, otherwise encoded. */
import { stat } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type HopTask } from "#services/conversion/domain/engine.ts";
import type { Sandbox, SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { gatheringNotes } from "../shared/gathering-notes.ts";
import { openToolSession, probeOf, type ToolSession } from "../shared/tool-run.ts";
import { withShownAlpha } from "./ffmpeg-alpha.ts";
import { ffmpegArgumentsOf } from "./ffmpeg-arguments.ts";
import { assertText, noteChanges, writtenSecondsOf } from "./ffmpeg-changes.ts";
import { withOrderedChapters } from "./ffmpeg-chapters.ts";
import { assertConverted, convertedOf, expectedLengthOf, isText, withEnd, withoutTrack } from "./ffmpeg-completeness.ts";
import { withDelays, withPlays } from "./ffmpeg-delays.ts";
import { fitted } from "./ffmpeg-fitting.ts";
import { containerOf } from "./ffmpeg-formats.ts";
import { ffmpegHops } from "./ffmpeg-hops.ts";
import { withKeyframe } from "./ffmpeg-keyframes.ts";
import { withLight } from "./ffmpeg-light.ts";
import { keepSmallerSource } from "./ffmpeg-own.ts";
import { peakOf, tooLoud } from "./ffmpeg-peaks.ts";
import { withFirstShown } from "./ffmpeg-pictures.ts";
import { withOneProgram } from "./ffmpeg-programs.ts";
import { type Media, mediaBadInput, readMedia, streamsOf } from "./ffmpeg-streams.ts";

/** Encoders reserve stacks for many threads; the resident limit still applies. */
const limits = { addressSpace: false, processes: 256, fileBytes: 8 * 2 ** 30, folderBytes: 8 * 2 ** 30 };

async function run({ sandbox, inspector }: EngineHost, given: HopTask): Promise<void> {
  const { task, tell, has } = gatheringNotes(given);
  const demuxer = demuxerOf(task);
  await using session = await openToolSession(sandbox, task);
  const told = await withOrderedChapters(session, task, withOneProgram(task, await readMedia(session, task, demuxer)));
  const read = await withShownAlpha(session, task, told, demuxer);
  const played = await withPlays(inspector, task, await withEnd(session, inspector, task, read, demuxer), demuxer);
  const shown = await withKeyframe(session, task, await withFirstShown(session, task, played, demuxer), demuxer);
  const media = await withLight(session, await withDelays(session, shown, demuxer), demuxer);
  const expected = expectedLengthOf(task, media, demuxer);
  const encodeAs = (as: HopTask, what: Media): Promise<Run> => encode(session, as, what, demuxer, expected.seconds);
  const first = await encodeAs(task, media);
  const converted = convertedOf(task, media);
  const quieterDecibels = tooLoud(
    task,
    converted.filter(({ kind }) => kind === "audio"),
    first.peakDecibels,
  );
  const heard = quieterDecibels === 0 ? media : { ...media, quieterDecibels };
  const asked = quieterDecibels === 0 ? first : await encodeAs(task, heard);
  const sizeOf = async () => (await stat(session.pathOf("out"))).size;
  const run = asked.end.exitCode === 0 ? await fitted(task, heard, { first: asked, encode: encodeAs, sizeOf }) : asked;
  const writtenSeconds = await writtenSecondsOf(session, task, run.end, run.seconds);
  const isMeasured = assertConverted(task, media, run.end, writtenSeconds, expected);
  if (isText(task)) await assertText(session, task);
  if (run.frames === 0 && run.seconds === 0 && !isText(task)) {
    throw new FilemillError("INVALID_INPUT", "The file is empty or damaged: nothing of it could be decoded.");
  }
  await noteChanges(session, inspector, task, { media, converted, expected: isMeasured ? undefined : expected });
  // Changes in a discarded result are irrelevant.
  if (!has("INPUT_DAMAGED") && (await keepSmallerSource(session, task))) given.note("SOURCE_KEPT");
  else tell();
  await session.adopt("out");
}

type Run = { readonly end: SandboxEnd; readonly seconds: number; readonly frames: number; readonly peakDecibels: number };

async function encode(session: ToolSession, task: HopTask, media: Media, demuxer: string, expectedSeconds: number): Promise<Run> {
  let [seconds, frames, peakDecibels] = [0, 0, -Infinity];
  const end = await session.run({
    program: "/usr/bin/ffmpeg",
    args: ffmpegArgumentsOf(task, media, demuxer),
    limits,
    onLine(line) {
      peakDecibels = Math.max(peakDecibels, peakOf(line) ?? -Infinity);
      frames = Math.max(frames, Number(/^frame=(\d+)$/.exec(line)?.[1] ?? 0));
      const microseconds = Number(/^out_time_us=(\d+)$/.exec(line)?.[1] ?? Number.NaN);
      if (Number.isNaN(microseconds)) return;
      seconds = Math.max(seconds, microseconds / 1e6);
      if (expectedSeconds > 0) task.progress(Math.min(0.99, seconds / expectedSeconds));
    },
  });
  return { end, seconds, frames, peakDecibels };
}

async function soundTracksOf(sandbox: Sandbox, task: HopTask): Promise<readonly string[]> {
  await using session = await openToolSession(sandbox, task);
  const media = await readMedia(session, task, demuxerOf(task));
  const tracks = streamsOf(media, "audio");
  if (tracks.length === 0) throw withoutTrack(media, "audio", "The file has no audio.");
  return tracks.map(({ language }) => language);
}

function demuxerOf(task: HopTask): string {
  const demuxer = containerOf(task.input.format)?.demuxer;
  if (demuxer === undefined) throw new FilemillError("INTERNAL", "ffmpeg does not read this format.");
  return demuxer;
}

export const ffmpegEngine = defineEngine({
  id: "ffmpeg",
  label: "FFmpeg",
  lane: "media",
  packages: ["ffmpeg", "python3-mutagen"],
  hops: ffmpegHops,
  badInput: mediaBadInput,
  probe: probeOf("/usr/bin/ffmpeg", ["-version"], /version (\d[\d.]*)/),
  async open(host) {
    return {
      run: (task) => run(host, task),
      parts: (task) => soundTracksOf(host.sandbox, task),
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
});
