/** Pictures that FFmpeg reads and writes better than others: Targa, whose rows it alone puts in order, QOI, and the first frame of APNG. */
import { open } from "node:fs/promises";
import { FilemillError } from "#kit/errors.ts";
import { defineEngine, type Hop, type HopTask } from "../domain/engine.ts";
import { expectingAll } from "../domain/expectations.ts";
import type { Sandbox } from "../domain/sandbox.ts";
import { pictureFactsOf } from "./picture-page.ts";
import { inputInside, openToolSession, versionLineOf } from "./tool-run.ts";

const program = "/usr/bin/ffmpeg";
/** Decoder and encoder by format. To a decoder of PNG an APNG is its first frame. */
const codecs: Readonly<Record<string, string>> = { png: "png", apng: "png", tga: "targa", qoi: "qoi" };

const usual = { fidelity: "lossless", cost: 90, async: false, maxInputMb: 100, options: [] } as const;
const hops: readonly Hop[] = [
  ...["tga", "qoi"].flatMap((format): Hop[] => [
    { from: format, to: "png", ...usual },
    { from: "png", to: format, ...usual, expects: expectingAll("ORIENTATION_APPLIED") },
  ]),
  { from: "apng", to: "png", ...usual, fidelity: "reduced", expects: expectingAll("ANIMATION_REDUCED") },
];
const headBytes = 65_536;

/** What the animation's control chunk says; 1 when there is none. @see https://www.w3.org/TR/png-3/#acTL-chunk */
async function framesOf(path: string): Promise<number> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(headBytes) });
  const at = buffer.subarray(0, bytesRead).indexOf("acTL", 0, "latin1");
  return at < 0 || at + 8 > bytesRead ? 1 : buffer.readUInt32BE(at + 4);
}

/** By EXIF's orientations; 2 to 8. */
const turns = ["hflip", "hflip,vflip", "vflip", "transpose=0", "transpose=1", "transpose=3", "transpose=2"];

/** A PNG tells how it is to be turned where FFmpeg does not look. */
async function turnOf(task: HopTask): Promise<string | undefined> {
  if (task.hop.from !== "png") return undefined;
  const turn = turns[(await pictureFactsOf(task.input.path, "png")).orientation - 2];
  if (turn !== undefined) task.note("ORIENTATION_APPLIED");
  return turn;
}

async function run(sandbox: Sandbox, task: HopTask): Promise<void> {
  const [decoder, encoder] = [codecs[task.hop.from], codecs[task.hop.to]];
  if (decoder === undefined || encoder === undefined) throw new FilemillError("INTERNAL", "There is no such pair of pictures.");
  await using session = await openToolSession(sandbox, task);
  const reading = ["-protocol_whitelist", "file", "-f", "image2", "-pattern_type", "none", "-c:v", decoder, "-i", `file:${inputInside}`];
  const turn = await turnOf(task);
  const writing = [
    ...(turn === undefined ? [] : ["-filter:v", turn]),
    "-frames:v",
    "1",
    "-c:v",
    encoder,
    "-f",
    "image2",
    "-update",
    "1",
    "file:/job/out",
  ];
  const end = await session.run({ program, args: ["-nostdin", "-hide_banner", "-v", "error", "-threads", "2", ...reading, ...writing] });
  if (end.exitCode !== 0) throw new FilemillError("INVALID_INPUT", "The picture is damaged, or of a kind that cannot be read.");
  await session.adopt("out");
  if (task.hop.from !== "apng") return;
  const frames = await framesOf(task.input.path);
  if (frames > 1) task.note("ANIMATION_REDUCED", `Only frame 1 of ${frames} was converted.`);
}

export const ffmpegStillsEngine = defineEngine({
  id: "ffmpeg-stills",
  label: "FFmpeg (pictures)",
  lane: "image",
  packages: ["ffmpeg"],
  hops,
  async probe(sandbox) {
    const line = await versionLineOf(sandbox, program, ["-version"]);
    return line === undefined ? undefined : /version (\S+)/.exec(line)?.[1];
  },
  async open({ sandbox }) {
    return { run: (task) => run(sandbox, task), [Symbol.asyncDispose]: async () => undefined };
  },
});
