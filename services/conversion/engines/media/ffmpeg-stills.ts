/** Pictures that FFmpeg handles better than others: Targa, whose row order only FFmpeg gets right, QOI, and the first frame of APNG. */
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type Hop, type HopTask } from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import { openForPlainColours } from "../pictures/meant-colours.ts";
import { pillowBadInput, pillowPackages, runPillow } from "../pictures/pillow.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { words } from "../shared/hop-table.ts";
import { inputInside, openToolSession, probeOf, type ToolSession } from "../shared/tool-run.ts";
import { fieldsOf, probe, rowsOf, textOf } from "./ffmpeg-probe.ts";

const program = "/usr/bin/ffmpeg";
/** Decoder and encoder by format. The PNG decoder reads the first frame of an APNG. */
const codecs: Readonly<Record<string, string>> = { png: "png", apng: "png", tga: "targa", qoi: "qoi" };

const usual = { fidelity: "lossless", cost: 90, maxInputMb: 100, options: [] } as const;
const hops: readonly Hop[] = [
  ...["tga", "qoi"].flatMap((format): Hop[] => [
    {
      from: format,
      to: "png",
      ...usual,
      expects: format === "tga" ? [expecting("MEDIA_CHANGED", "Transparency of one bit per pixel is left out.")] : [],
    },
    {
      ...{ from: "png", to: format, ...usual },
      expects: [
        ...expectingAll("ORIENTATION_APPLIED", "PROFILE_CONVERTED"),
        expecting("MEDIA_CHANGED", "Colours with 16 bits are reduced to 8 bits."),
      ],
    },
  ]),
  { from: "apng", to: "png", ...usual, fidelity: "reduced", expects: expectingAll("ANIMATION_REDUCED") },
];

/** By EXIF orientation, 2 to 8. */
const turns = ["hflip", "hflip,vflip", "vflip", "transpose=0", "transpose=1", "transpose=3", "transpose=2"];

const badInput = [...pillowBadInput, /Invalid data found|Invalid PNG signature|chunk too big|Not enough data|inflate returned error/];

/** A PNG may store its orientation where FFmpeg does not look. */
async function turnOf(inspector: Inspector, task: HopTask): Promise<string | undefined> {
  if (task.hop.from !== "png") return undefined;
  const { orientation } = await inspector.ask("pictureFacts", [task.input.path], { more: { format: "png" }, signal: task.signal });
  const turn = turns[orientation - 2];
  if (turn !== undefined) task.note("ORIENTATION_APPLIED");
  return turn;
}

/** A Targa's kind of picture, bits per pixel, and how many of them are declared to be alpha. @see Truevision TGA 2.0, fields 3, 5.5 and 5.6 */
async function targaOf(session: ToolSession) {
  const head = await session.run({ program: "/usr/bin/od", args: ["-An", "-v", "-tu1", "-w16", "-j2", "-N16", inputInside] });
  const bytes = head.stdout.trim().split(/\s+/).map(Number);
  return { kind: bytes[0] ?? 0, bits: bytes[14] ?? 0, alphaBits: (bytes[15] ?? 0) & 15 };
}

const isAllClear = ["alphaextract", "signalstats", "metadata=mode=print:key=lavfi.signalstats.YMAX:file=-"].join(",");

/** FFmpeg takes 16 bits for colours of five, always. */
async function targaArgs(session: ToolSession, task: HopTask, reading: readonly string[]): Promise<readonly string[] | undefined> {
  const { kind, bits, alphaBits } = await targaOf(session);
  // Grey with transparency.
  if (bits === 16 && (kind === 3 || kind === 11)) return undefined;
  if (bits === 16 && alphaBits > 0) task.note("MEDIA_CHANGED", "Transparency of one bit per pixel was left out.");
  // Others without a declaration do hold alpha.
  if (bits !== 32 || alphaBits > 0) return [];
  const args = ["-nostdin", "-v", "error", "-threads", "2", ...reading, "-filter:v", isAllClear, "-f", "null", "-"];
  return /YMAX=0$/m.test((await session.run({ program, args })).stdout) ? ["-pix_fmt", "rgb24"] : [];
}

/** The pixel format to write if the default would lose something; both formats have eight bits per channel. Undefined: for Pillow. */
async function pixelArgs(session: ToolSession, task: HopTask, reading: readonly string[]): Promise<readonly string[] | undefined> {
  if (task.hop.from === "tga") return await targaArgs(session, task, reading);
  if (task.hop.from !== "png") return [];
  const { answer } = await probe(session, "png_pipe", inputInside, "stream=pix_fmt");
  const format = textOf(rowsOf(fieldsOf(answer.streams).stream)[0]?.pix_fmt);
  if (/(48|64|16)be$/.test(format)) task.note("MEDIA_CHANGED", "Colours have 8 bits instead of 16.");
  // A palette may be transparent.
  return format === "pal8" && task.hop.to === "qoi" ? ["-pix_fmt", "rgba"] : [];
}

async function run({ sandbox, inspector }: EngineHost, task: HopTask): Promise<void> {
  const [decoder, encoder] = [codecs[task.hop.from], codecs[task.hop.to]];
  if (decoder === undefined || encoder === undefined) throw new FilemillError("INTERNAL", "There is no such pair of pictures.");
  await using session = await openToolSession(sandbox, task);
  const reading = ["-protocol_whitelist", "file", "-f", "image2", "-pattern_type", "none", "-c:v", decoder, "-i", `file:${inputInside}`];
  const turn = await turnOf(inspector, task);
  const pixels = await pixelArgs(session, task, reading);
  if (pixels === undefined) return await runPillow(sandbox, task);
  const writing = [
    ...(turn === undefined ? [] : ["-filter:v", turn]),
    ...["-frames:v", "1", "-c:v", encoder, ...pixels],
    ...words("-f image2 -update 1 file:/job/out"),
  ];
  const end = await session.run({ program, args: ["-nostdin", "-hide_banner", "-v", "error", "-threads", "2", ...reading, ...writing] });
  throwIfFailed(end, badInput, "The picture is damaged or of an unsupported kind.");
  await session.adopt("out");
  if (task.hop.from !== "apng") return;
  const { frames } = await inspector.ask("animation", [task.input.path], { more: { format: "apng" }, signal: task.signal });
  if (frames > 1) task.note("ANIMATION_REDUCED", `Only frame 1 of ${frames} was converted.`);
}

export const ffmpegStillsEngine = defineEngine({
  id: "ffmpeg-stills",
  label: "FFmpeg (pictures)",
  lane: "image",
  packages: ["ffmpeg", ...pillowPackages],
  hops,
  badInput,
  probe: probeOf(program, ["-version"], /version (\S+)/),
  open: (host) => openForPlainColours(host, run),
});
