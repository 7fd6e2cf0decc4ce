/** Sound, film, animations and stills by ffmpeg: streams are copied where the target can hold them, else encoded. */
import { FilemillError } from "#kit/errors.ts";
import { defineEngine, type HopTask } from "../domain/engine.ts";
import type { Sandbox } from "../domain/sandbox.ts";
import { withShownAlpha } from "./ffmpeg-alpha.ts";
import { ffmpegArgumentsOf } from "./ffmpeg-arguments.ts";
import { assertConverted, expectedLengthOf, isText } from "./ffmpeg-completeness.ts";
import { withDelays } from "./ffmpeg-delays.ts";
import { containerOf } from "./ffmpeg-formats.ts";
import { ffmpegHops } from "./ffmpeg-hops.ts";
import { withFirstShown } from "./ffmpeg-pictures.ts";
import { mediaBadInput, readMedia } from "./ffmpeg-streams.ts";
import { openToolSession, versionLineOf } from "./tool-run.ts";

/** Encoders reserve stacks for many threads; the resident limit is watched all the same. */
const limits = { addressSpace: false, processes: 256, fileBytes: 8 * 2 ** 30, folderBytes: 8 * 2 ** 30 };

async function run(sandbox: Sandbox, task: HopTask): Promise<void> {
  const demuxer = demuxerOf(task);
  await using session = await openToolSession(sandbox, task);
  const read = await withShownAlpha(session, await readMedia(session, task, demuxer), demuxer);
  const media = await withDelays(session, await withFirstShown(session, task, read, demuxer), demuxer);
  const expected = expectedLengthOf(task, media, demuxer);
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
      if (expected.seconds > 0) task.progress(Math.min(0.99, writtenSeconds / expected.seconds));
    },
  });
  assertConverted(task, end, writtenSeconds, expected);
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
