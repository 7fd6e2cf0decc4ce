/** Pictures that sharp does not support, by ImageMagick: to and from PNG and TIFF. */
import { writeFile } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type Engine, type EngineHost, type HopTask, type OpenEngine } from "#services/conversion/domain/engine.ts";
import { assertPart, noteLeftOut } from "#services/conversion/domain/parts.ts";
import type { Sandbox, SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { failureOf } from "../shared/bad-input.ts";
import { numberOption } from "../shared/hop-table.ts";
import { inputInside, openOutput, openToolSession, probeMs, stepFile, type ToolSession, versionLineOf } from "../shared/tool-run.ts";
import { srgbProfile } from "./icc-profile.mjs";
import {
  exrHops,
  fromLab,
  imagemagickHops,
  leastVeil,
  magickBadInput,
  type Picture,
  pictureOf,
  unlit,
  veil,
} from "./imagemagick-formats.ts";
import { largestOf, withMasks } from "./imagemagick-icon.ts";
import { coloursReadOf, isMisread, isToBeSwapped, noteExr, noteLeft, orientationArgumentsOf, runMisread } from "./imagemagick-misread.ts";
import { assertCrop, hasExif, keepsSource, ownArgumentsOf, ownPictureHops, tagFormat, tagsTold } from "./imagemagick-own.ts";
import { lenient, magick, withPolicy } from "./imagemagick-program.ts";
import {
  densityArgumentsOf,
  depthArgumentsOf,
  isPhotoshop,
  printedSizeOf,
  type Scene,
  sceneFormat,
  scenesIn,
} from "./imagemagick-scenes.ts";
import { withMeantColours } from "./meant-colours.ts";
import { isForPillow, orByPillow, pillowBadInput, pillowPackages, runPillow } from "./pillow.ts";
import { noteDepth, noteOblong, noteUnsized } from "./pixel-notes.ts";
import { openSharpChildren } from "./sharp-children.ts";

const program = magick.path;
const iconSizes = [256, 128, 64, 48, 32, 16];

type Size = { readonly width: number; readonly height: number };
/** Debian's limit for the sides of pictures. */
const usualLongest = 16_000;

const unreadable = "The picture is damaged or of an unsupported kind.";

/** Header data of each picture in the file. */
async function readScenes(session: ToolSession, { coder, hasSizes }: Picture, size?: Size): Promise<readonly Scene[]> {
  const photometric = coder === "tiff" ? "photometric %[tiff:photometric]\n" : "";
  const colours = hasSizes === true ? "%k" : "0";
  const format = `${photometric}${sceneFormat(colours)}`;
  const args = [...lenient, ...(hasSizes === true ? [] : ["-ping"]), `${coder}:${inputInside}`, "-format", format, "info:-"];
  const end = await session.run({ program, args, ...withPolicy });
  throwIfTooLarge(end);
  const scenes = scenesIn(end.stdout);
  // Its reader of PNG says nothing of it.
  if (scenes.length === 0 && size !== undefined && Math.max(size.width, size.height) > usualLongest)
    throw new FilemillError("INPUT_TOO_COMPLEX", `The picture has more than ${usualLongest} pixels on a side; make it smaller first.`);
  if (scenes.length === 0) throw failureOf(end, magickBadInput, unreadable);
  // ImageMagick would treat unknown photometric values as RGB.
  if (/^photometric unknown/m.test(end.stdout)) {
    throw new FilemillError("CONVERSION_FAILED", "The picture's colours are of a kind that could not be read.");
  }
  return scenes;
}

function throwIfTooLarge({ stderr }: SandboxEnd): void {
  if (/exceeds limit|cache resources exhausted|resource limit|too many exceptions/i.test(stderr)) {
    throw new FilemillError("INPUT_TOO_COMPLEX", "The picture has too many pixels to convert.");
  }
}

function chooseScene(scenes: readonly Scene[], source: Picture, task: HopTask): Scene | undefined {
  if (source.hasSizes === true) return largestOf(task, scenes);
  // The first picture of a Photoshop file is the composite, the others are its layers.
  if (/^ps[db]$/.test(source.coder)) return scenes[0];
  const page = numberOption(task.options, "page") ?? 1;
  assertPart("page", page, scenes.length);
  noteLeftOut(task, "page", page, scenes.length);
  return scenes[page - 1];
}

function shapeArgumentsOf(task: HopTask, { width, height }: Scene): readonly string[] {
  const { options, hop } = task;
  switch (hop.to) {
    case "ico": {
      const asked = numberOption(options, "size");
      const side = asked ?? Math.min(256, Math.max(width, height));
      const square = ["-resize", `${side}x${side}${asked === undefined ? ">" : ""}`, "-background", "none", "-gravity", "center"];
      const sizes = asked === undefined ? iconSizes.filter((size) => size <= side) : [];
      const largest = sizes[0] ?? side;
      if (asked === undefined && largest < Math.max(width, height))
        task.note("MEDIA_CHANGED", `The picture was made smaller: the largest in the icon has ${largest} by ${largest} pixels.`);
      const all = sizes.length === 0 ? [] : ["-define", `icon:auto-resize=${sizes.join(",")}`];
      return [...square, "-extent", `${side}x${side}`, ...all];
    }
    case "dds":
      return ["-define", `dds:compression=${options.compression === "none" ? "none" : "dxt5"}`, "-define", "dds:mipmaps=0"];
    case "jp2":
    case "j2k":
      return ["-quality", String(numberOption(options, "quality") ?? 85)];
    case "pbm":
    case "wbmp":
    case "xbm":
      return options.dither === false ? ["-colorspace", "Gray", "-threshold", "50%"] : ["-colorspace", "Gray", "-ordered-dither", "o8x8"];
    default:
      return [];
  }
}

function boundArgumentsOf({ options }: HopTask): readonly string[] {
  const [width, height] = [numberOption(options, "width"), numberOption(options, "height")];
  return width === undefined && height === undefined ? [] : ["-resize", `${width ?? ""}x${height ?? ""}>`];
}

/** Writes the sRGB profile. A picture with a profile is converted to it; one without stays as it is. */
async function srgbOf(session: ToolSession): Promise<string> {
  await writeFile(session.pathOf("srgb.icc"), srgbProfile(), { flag: "wx", mode: 0o644 });
  return "/job/srgb.icc";
}

/** Converts values that other programs would misread, such as linear light. */
function lightArgumentsOf(source: Picture, scene: Scene, target: Picture): readonly string[] {
  const isLinear = source.isLinear === true || (isPhotoshop(source) && scene.depth > 16 && scene.profile === "");
  return [
    ...(source.readArgs ?? []),
    ...coloursReadOf([scene]),
    ...(isLinear ? ["-set", "colorspace", "RGB", "-colorspace", "sRGB"] : []),
    ...depthArgumentsOf(source, scene, target),
  ];
}

async function run({ sandbox, inspector }: EngineHost, task: HopTask, scenes?: readonly Scene[], isNegative = false): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const [source, target] = [pictureOf(task.hop.from), pictureOf(task.hop.to)];
  const facts = task.hop.from === "png" ? await inspector.ask("pictureFacts", [task.input.path], pngAsked(task)) : undefined;
  const scene = chooseScene(scenes ?? (await readScenes(session, source, facts)), source, task);
  if (scene === undefined) throw new FilemillError("INVALID_INPUT", "The file contains no picture.");
  const isLab = /lab/i.test(scene.space);
  // Converting sRGB to sRGB would only round values, and Lab has one meaning, which a profile of it does not change.
  // In Photoshop files with a profile, the program writes greys as RGB, for which theirs is wrong.
  const keepsProfile = target.hasProfile === true && !(isPhotoshop(target) && scene.space === "Gray");
  const isConverted = !keepsProfile && scene.profile !== "" && !/sRGB/i.test(scene.profile) && !isLab;
  const args = [
    ...[...lenient, `${source.coder}:${inputInside}[${scene.index}]`],
    ...(isNegative ? ["-negate"] : []),
    ...lightArgumentsOf(source, scene, target),
    ...(task.options.metadata === "strip" ? ["+profile", "!icc,!icm,*", "-set", "comment", ""] : []),
    ...orientationArgumentsOf(task, facts?.orientation),
    ...densityArgumentsOf(facts === undefined ? scene : { ...scene, isOnItsSide: facts.orientation > 4 }, target),
    ...["-auto-orient", "-format", `opaque %[opaque]\n${source.isLinear === true ? "light %[max]\n" : ""}`, "-write", "info:-"],
    ...(target.hardens === true ? veil : []),
    ...(isConverted ? ["-profile", await srgbOf(session)] : []),
    ...(isLab ? fromLab : []),
    ...(target.isOpaque === true ? ["-background", "white", "-alpha", "remove", "-alpha", "off"] : []),
    ...boundArgumentsOf(task),
    ...shapeArgumentsOf(task, scene),
    ...(target.isLinear === true ? ["-colorspace", "RGB"] : []),
    ...(target.args ?? []),
    `${target.coder}:/job/out`,
  ];
  const end = await session.run({ program, args, ...withPolicy });
  await throwUnlessWritten(session, task, end);
  if (source.coder === "exr" && /^light 0$/m.test(end.stdout)) throw new FilemillError("CONVERSION_FAILED", unlit);
  if (target.isOpaque === true && /^opaque false/im.test(end.stdout)) task.note("ALPHA_FLATTENED");
  if (Number(/^veil (\d+)$/m.exec(end.stdout)?.[1] ?? 0) > leastVeil) {
    task.note("ALPHA_FLATTENED", "Partly transparent pixels became fully transparent or opaque.");
  }
  const isPrinters = scene.space === "CMYK" && target.hasInks !== true;
  if (isConverted || isLab || isPrinters) task.note("PROFILE_CONVERTED");
  if (/^light 65535$/m.test(end.stdout)) task.note("MEDIA_CHANGED", "Values of 1 and above became full brightness.");
  noteDepth(task, scene, target);
  const { tallness, density } = printedSizeOf(scene);
  noteOblong(task, facts?.tallness ?? tallness);
  noteUnsized(task, facts === undefined ? density : facts.density);
  if (source.coder === "exr") await noteExr(inspector, task);
  await session.adopt("out");
}

/** CMYK becomes RGB through TIFF, which keeps the profile, and libvips, which applies it. */
async function runAll(host: EngineHost, pictures: OpenEngine, task: HopTask): Promise<void> {
  const { from, to } = task.hop;
  const isOdd = await isMisread(host.inspector, task);
  if (isOdd && isForPillow(from)) return await runOther(host, task);
  if (isOdd && !isToBeSwapped(task)) return await runMisread(pictures, task);
  if (from === to) return await runOwn(host, task);
  if (pictureOf(from).hasSizes === true) return await withMasks(host.inspector, task, (masked) => run(host, masked));
  if (from === "png") return await withMeantColours({ ...host, pictures }, task, "keep", (meant) => run(host, meant));
  await noteLeft(host.inspector, task);
  const source = pictureOf(from);
  if (to !== "png" || !(isPhotoshop(source) || from === "tiff")) return await run(host, task, undefined, isOdd);
  const scenes = await scenesOf(host, task);
  if (scenes[0]?.space !== "CMYK") return await run(host, task, scenes);
  await using made = stepFile(task, "printed");
  await run(host, { ...task, hop: { ...task.hop, to: "tiff" }, outputPath: made.path }, scenes);
  const input = await made.as(task.input.format);
  await pictures.run({ ...task, hop: { ...task.hop, from: "tiff" }, input, options: { compressionLevel: 6 } });
}

/** Through PNG, which another program makes. */
async function runOther(host: EngineHost, task: HopTask): Promise<void> {
  await using made = stepFile(task, "read");
  await runPillow(host.sandbox, { ...task, outputPath: made.path });
  await noteLeft(host.inspector, task);
  await run(host, { ...task, hop: { ...task.hop, from: "png" }, input: await made.as("png") });
}

/** Rewrites every page of the file in its own format. */
async function runOwn({ sandbox }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const picture = pictureOf(task.hop.from);
  const scenes = await readScenes(session, picture);
  assertCrop(task, scenes);
  const read = [...lenient, `${picture.coder}:${inputInside}`];
  const tags =
    task.hop.to === "tiff"
      ? (await session.run({ program, args: ["-ping", ...read, "-format", tagFormat, "info:-"], ...withPolicy })).stdout
      : "";
  const facts = ["-format", "page %[type] %[orientation] %[opaque]\\n", "-write", "info:-"];
  const args = [...read, ...coloursReadOf(scenes), ...facts, ...ownArgumentsOf(task, scenes, tagsTold(tags))];
  const end = await session.run({ program, args: [...args, `${picture.coder}:/job/out`], ...withPolicy });
  await throwUnlessWritten(session, task, end);
  const isTurned = /^page \S+ (?!TopLeft|Undefined)/m.test(end.stdout);
  if (end.exitCode === 0 && (await keepsSource(session, task, isTurned))) return;
  if (isTurned) task.note("ORIENTATION_APPLIED");
  if (hasExif(tags) && task.options.metadata !== "strip") task.note("METADATA_DROPPED");
  if (task.options.compression === "jpeg" && /^page \S+ \S+ false/im.test(end.stdout)) task.note("ALPHA_FLATTENED");
  const [deepest] = scenes.toSorted((a, b) => b.depth - a.depth);
  if (deepest !== undefined) noteDepth(task, deepest, task.options.compression === "jpeg" ? {} : { isDeep: true });
  await session.adopt("out");
}

async function scenesOf({ sandbox }: EngineHost, task: HopTask): Promise<readonly Scene[]> {
  await using session = await openToolSession(sandbox, task);
  return await readScenes(session, pictureOf(task.hop.from));
}

const pngAsked = ({ signal }: HopTask) => ({ more: { format: "png" }, signal });

async function versionOf(sandbox: Sandbox): Promise<string | undefined> {
  const line = await versionLineOf(sandbox, program, ["-version"]);
  return line === undefined ? undefined : /ImageMagick (\d[\d.-]*)/.exec(line)?.[1];
}

const open: Engine["open"] = async (host) => {
  const pictures = await openSharpChildren(host, 0);
  return {
    run: (task) =>
      orByPillow(
        task,
        () => runAll(host, pictures, task),
        () => runOther(host, task),
      ),
    parts: async (task) =>
      (task.hop.from === "fits" ? await pictures.parts?.(task) : undefined) ?? (await scenesOf(host, task)).map(() => ""),
    [Symbol.asyncDispose]: () => pictures[Symbol.asyncDispose](),
  };
};

/** A damaged picture may still give a result. */
async function throwUnlessWritten(session: ToolSession, task: HopTask, end: SandboxEnd): Promise<void> {
  throwIfTooLarge(end);
  if (end.exitCode === 0) return;
  const left = await openOutput(session.pathOf("out")).catch(() => {
    throw failureOf(end, magickBadInput, unreadable);
  });
  await left.close();
  task.note("INPUT_DAMAGED");
}

export const imagemagickEngine = defineEngine({
  id: "imagemagick",
  label: "ImageMagick",
  lane: "image",
  packages: [...magick.packages, ...pillowPackages],
  hops: [...imagemagickHops, ...ownPictureHops],
  badInput: [...magickBadInput, ...pillowBadInput],
  probe: versionOf,
  open,
});

/** The same program with a module from a separate package. */
export const imagemagickExrEngine = defineEngine({
  id: "imagemagick-exr",
  label: "ImageMagick (OpenEXR)",
  lane: "image",
  packages: [...magick.packages, ...magick.modules],
  hops: exrHops,
  badInput: magickBadInput,
  async probe(sandbox) {
    const version = await versionOf(sandbox);
    if (version === undefined) return undefined;
    const end = await sandbox.run({ program, args: ["-list", "format"], limits: { wallMs: probeMs } });
    return /^ +EXR\*? +EXR +rw/m.test(end.stdout) ? version : undefined;
  },
  open,
});
