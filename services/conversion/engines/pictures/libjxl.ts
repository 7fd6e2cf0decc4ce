/** JPEG XL by the tools of libjxl. A JPEG becomes JPEG XL losslessly, and can be restored bit for bit. */
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import {
  defineEngine,
  type EngineHost,
  type Hop,
  type HopTask,
  type OpenEngine,
  type OptionDefinition,
} from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { askMade } from "../shared/ask-inspector.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { copyPieces } from "../shared/copy-pieces.ts";
import { flagOption, numberOption, ownHops } from "../shared/hop-table.ts";
import { integerIn } from "../shared/options.ts";
import { openOutput, openToolSession, probeOf, stepFile, type ToolSession } from "../shared/tool-run.ts";
import { withMeantColours } from "./meant-colours.ts";
import { metadataChoice, profileChoice, reshapes, reshaping } from "./picture-options.ts";
import { noteOblong, noteUnsized } from "./pixel-notes.ts";
import { openSharpChildren } from "./sharp-children.ts";

const effort = integerIn("effort", [1, 9], "Effort: higher is smaller and slower", { default: 4 });
const quality = { name: "quality", type: "integer", min: 5, max: 100 } as const;
const lossy: OptionDefinition = { ...quality, default: 90, description: "Quality of lossy compression" };
const again: OptionDefinition = {
  ...quality,
  description: "Quality of lossy compression; default: 90, or the original JPEG if the picture was made from one",
};
const lossless: OptionDefinition = { name: "lossless", type: "boolean", default: false, description: "Lossless compression" };
const usual = { maxInputMb: 100 } as const;
const choices = [...reshaping, metadataChoice, profileChoice];
const recoloured = expecting("PROFILE_CONVERTED", "High dynamic range is mapped to standard dynamic range.");
const opaque = [...expectingAll("ALPHA_FLATTENED", "ANIMATION_REDUCED", "MEDIA_CHANGED"), recoloured];
const still = [...expectingAll("ANIMATION_REDUCED"), recoloured, expecting("ALPHA_FLATTENED", { option: "background" })];

const hops: readonly Hop[] = [
  { from: "jpg", to: "jxl", fidelity: "lossless", cost: 150, ...usual, options: [effort] },
  {
    ...{ from: "png", to: "jxl", fidelity: "high", cost: 250, ...usual, options: [lossy, lossless, effort, metadataChoice] },
    expects: expectingAll("ORIENTATION_APPLIED", "PROFILE_CONVERTED", "MEDIA_CHANGED"),
  },
  { from: "apng", to: "jxl", fidelity: "high", cost: 400, ...usual, options: [lossy, lossless, effort] },
  { from: "jxl", to: "png", fidelity: "lossless", cost: 200, ...usual, options: choices, expects: still },
  { from: "jxl", to: "jpg", fidelity: "high", cost: 150, ...usual, options: [again, ...choices], expects: opaque },
  {
    ...{ from: "jxl", to: "ppm", fidelity: "reduced", cost: 120, ...usual, options: [] },
    expects: expectingAll("ALPHA_FLATTENED", "ANIMATION_REDUCED"),
  },
  ...ownHops(["jxl"], () => ({
    ...{ fidelity: "high", cost: 450, ...usual },
    ...{ options: [lossy, lossless, effort, ...choices], expects: still },
  })),
];

function encoderArgumentsOf(task: HopTask): readonly string[] {
  const { hop, options } = task;
  const work = ["-e", String(numberOption(options, "effort") ?? 4), "--num_threads=2"];
  if (hop.from === "jpg") return [...work, "--lossless_jpeg=1"];
  if (flagOption(options, "lossless")) return [...work, "-d", "0"];
  return [...work, "-q", String(numberOption(options, "quality") ?? 90)];
}

const badInput = [
  /(?:failed|Failed) to decode|invalid signature|is truncated|Unexpected end of|JXL_FAILURE|Failed to read|Error while decoding|Duplicate Huffman/,
];

async function run(host: EngineHost, pictures: OpenEngine, task: HopTask): Promise<void> {
  if (task.hop.from === "png") return await encodePng(host, pictures, task);
  if (task.hop.to === "jxl") return task.hop.from === "jxl" ? await rewrite(host, pictures, task) : await encode(host, task);
  // The tools go by file extension.
  const inside = "/input/picture.jxl";
  const { to } = task.hop;
  await using session = await openToolSession(host.sandbox, task, inside);
  const info = await session.run({ program: "/usr/bin/jxlinfo", args: [inside], limits: { addressSpace: false } });
  throwIfFailed(info, badInput, "The picture is damaged or is not JPEG XL.");
  const hasAlpha = /RGBA|alpha/i.test(info.stdout);
  // The tool would reveal the hidden colours under transparency; through PNG it is flattened.
  if (to === "ppm" && hasAlpha) throw new FilemillError("CONVERSION_FAILED", "The picture has transparency, which could not be flattened.");
  const moves = /animation/i.test(info.stdout);
  if (moves) task.note("ANIMATION_REDUCED");
  // The tool would write samples of fewer bits as ones of 8 or 16, without scaling them.
  const depth = Number(/, (\d{1,2})-bit /.exec(info.stdout)?.[1] ?? 8);
  const bits = depth < 8 ? ["--bits_per_sample=8"] : depth > 8 && depth < 16 ? ["--bits_per_sample=16"] : [];
  const numbers = task.options.profile === "strip" ? undefined : brightNumbersOf(info.stdout);
  // The tool writes only 8-bit JPEG.
  const isDeep = to === "jpg" && !/, 8-bit /.test(info.stdout);
  const isRough = reshapes(task) || numbers !== undefined || (to === "jpg" && (hasAlpha || isDeep));
  if (to === "ppm" && numbers !== undefined) throw new FilemillError("CONVERSION_FAILED", "High dynamic range could not be mapped.");
  if (!isRough) return await decodeTo({ session, ...host }, task, { moves, bits }, to, task.outputPath);
  await using made = stepFile(task, "decoded");
  await decodeTo({ session, ...host }, task, { moves, bits }, "png", made.path);
  const input = await made.as(task.input.format);
  const named = numbers === undefined ? {} : { namedColours: numbers };
  const options = { quality: 90, profile: "keep", compressionLevel: 6, ...task.options, ...named };
  await pictures.run({ ...task, hop: { ...task.hop, from: "png" }, input, options });
}

async function encodePng(host: EngineHost, pictures: OpenEngine, task: HopTask): Promise<void> {
  const asked = { more: { format: "png" }, signal: task.signal };
  const { density, tallness } = await host.inspector.ask("pictureFacts", [task.input.path], asked);
  noteUnsized(task, density);
  await withMeantColours({ ...host, pictures }, task, "keep", async (meant) => {
    // The picture as it was may have been changed, and its shape named.
    if (meant === task) noteOblong(task, tallness);
    await encode(host, meant);
  });
}

/** Through PNG, if it is changed. */
async function rewrite(host: EngineHost, pictures: OpenEngine, task: HopTask): Promise<void> {
  await using made = stepFile(task, "changed");
  await run(host, pictures, { ...task, hop: { ...task.hop, to: "png" }, outputPath: made.path });
  const input = await made.as("png");
  await encode(host, { ...task, hop: { ...task.hop, from: "png" }, input });
}

/** ITU-T H.273 code points of an HDR picture, from the tool's names for its colours. */
function brightNumbersOf(info: string): string | undefined {
  const transfer = /\bPQ transfer function/.test(info) ? 16 : /\bHLG transfer function/.test(info) ? 18 : undefined;
  return transfer && `${/Rec\.2100 primaries/.test(info) ? 9 : /P3 primaries/.test(info) ? 12 : 1}/${transfer}`;
}

async function encode({ sandbox, inspector }: EngineHost, task: HopTask): Promise<void> {
  const inside = `/input/picture.${task.hop.from}`;
  await using session = await openToolSession(sandbox, task, inside);
  if (task.hop.from === "jpg" && (await isPrinters(inspector, task))) {
    throw new FilemillError("CONVERSION_FAILED", "The picture has printer colours (CMYK), which could not be kept.");
  }
  const args = [inside, "/job/out.jxl", ...encoderArgumentsOf(task)];
  const { stderr } = await runTool(session, "/usr/bin/cjxl", args);
  // libpng reads on after it.
  if (/^libpng warning: (?:IDAT|.{0,40}(?:CRC|checksum))/m.test(stderr)) task.note("INPUT_DAMAGED");
  if (task.hop.from === "png") await noteAlphaDepth(session, task);
  await session.adopt("out.jxl");
}

/** Version 0.7 of the tool writes transparency of eight bits beside colours of 16. */
async function noteAlphaDepth(session: ToolSession, task: HopTask): Promise<void> {
  const { stdout } = await session.run({ program: "/usr/bin/jxlinfo", args: ["-v", "/job/out.jxl"], limits: { addressSpace: false } });
  const colours = Number(/, (\d{1,2})-bit /.exec(stdout)?.[1] ?? 8);
  const alpha = Number(/type: Alpha\s+bits_per_sample: (\d{1,2})\b/.exec(stdout)?.[1] ?? colours);
  if (alpha < colours) task.note("MEDIA_CHANGED", `Transparency has ${alpha} bits instead of ${colours}.`);
}

async function decodeTo(
  { session, inspector }: { readonly session: ToolSession } & Pick<EngineHost, "inspector">,
  task: HopTask,
  { moves, bits }: { readonly moves: boolean; readonly bits: readonly string[] },
  to: string,
  path: string,
): Promise<void> {
  const asked = to === "jpg" ? numberOption(task.options, "quality") : undefined;
  await runTool(session, "/usr/bin/djxl", [
    "/input/picture.jxl",
    `/job/out.${to}`,
    ...(asked === undefined ? [] : ["-q", String(asked)]),
    ...bits,
    "--num_threads=2",
  ]);
  if (moves && to === "png") return await writeStill(inspector, session.pathOf("out.png"), path);
  // Frames are numbered if each is a separate file.
  await session.adopt(moves ? await firstFrame(session, to) : `out.${to}`, path);
}

async function runTool(session: ToolSession, program: string, args: readonly string[]): Promise<SandboxEnd> {
  const end = await session.run({ program, args, limits: { addressSpace: false } });
  if (/Alpha bit depth does not match/.test(end.stderr))
    throw new FilemillError("CONVERSION_FAILED", "The picture's transparency has other bits than its colours, which could not be written.");
  if (/Bit depth does not fit/.test(end.stderr))
    throw new FilemillError("CONVERSION_FAILED", "The picture's floating-point samples with transparency could not be written.");
  throwIfFailed(end, badInput, "The picture is damaged or of an unsupported kind.");
  return end;
}

/** Whether a JPEG has four components, as CMYK has, which JPEG XL does not support. @see ITU-T T.81, B.2.2 */
async function isPrinters(inspector: Inspector, { input, signal }: HopTask): Promise<boolean> {
  return (await inspector.ask("pictureFacts", [input.path], { more: { format: "jpg" }, signal })).components === 4;
}

async function firstFrame(session: ToolSession, extension: string): Promise<string> {
  const names = (await readdir(dirname(session.pathOf("out")))).filter((name) => name.startsWith("out") && name.endsWith(`.${extension}`));
  return names.toSorted()[0] ?? `out.${extension}`;
}

/** The first frame of an animated PNG is its default picture; the animation chunks are left out. */
async function writeStill(inspector: Inspector, animation: string, still: string): Promise<void> {
  const { pieces } = await askMade(inspector, "stillPieces", [animation], {});
  await using source = await openOutput(animation);
  await copyPieces(source, still, pieces);
}

export const libjxlEngine = defineEngine({
  id: "libjxl",
  label: "libjxl",
  lane: "image",
  packages: ["libjxl-tools"],
  hops,
  badInput,
  probe: probeOf("/usr/bin/cjxl", ["--version"], /(\d{1,9}\.\d[\d.]*)/),
  async open(host) {
    const pictures = await openSharpChildren(host, 0);
    return { run: (task) => run(host, pictures, task), [Symbol.asyncDispose]: () => pictures[Symbol.asyncDispose]() };
  },
});
