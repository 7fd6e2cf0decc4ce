/** macOS icons: read by our own code, libicns and ImageMagick, written from pictures that ImageMagick renders in each size. */
import { open, readdir } from "node:fs/promises";
import { FilemillError, invalidOption } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type Hop, type HopTask } from "#services/conversion/domain/engine.ts";
import { EngineFault } from "#services/conversion/domain/failure.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { copyPieces } from "../shared/copy-pieces.ts";
import { numberOption, stringOption } from "../shared/hop-table.ts";
import { integerIn, oneOf } from "../shared/options.ts";
import { openToolSession, probeMs, type ToolSession, versionLineOf } from "../shared/tool-run.ts";
import { magickBadInput, oneSize } from "./imagemagick-formats.ts";
import { noteSizes } from "./imagemagick-icon.ts";
import { magick, withPolicy } from "./imagemagick-program.ts";

/** libicns does not read palettes. */
const deep = ["-define", "png:color-type=6", "-define", "png:bit-depth=8"];
/** Sizes of an icon, in pixels. @see Apple's Human Interface Guidelines, app icons */
const sides = [16, 32, 48, 128, 256, 512, 1024];
const usual = { cost: 150 } as const;

const hops: readonly Hop[] = [
  {
    from: "icns",
    to: "png",
    fidelity: "reduced",
    ...usual,
    maxInputMb: 20,
    expects: oneSize,
    options: [
      oneOf(
        "size",
        ["16", "32", "48", "64", "128", "256", "512", "1024"],
        "Picture to convert, by its width in pixels; default: the largest",
      ),
    ],
  },
  {
    from: "png",
    to: "icns",
    fidelity: "reduced",
    ...usual,
    maxInputMb: 50,
    options: [integerIn("size", [16, 1024], "Width of the largest picture in the icon; default: that of the source", { unit: "px" })],
  },
];

const notAnIcon = "The icon is damaged, or is not a macOS icon.";
const badInput = [/Unable to read icns family|all parsing methods failed/, ...magickBadInput];

async function takeApart({ sandbox, inspector }: EngineHost, task: HopTask): Promise<void> {
  const inside = "/input/icon.icns";
  await using session = await openToolSession(sandbox, task, inside);
  const { pictures } = await inspector.ask("iconPictures", [task.input.path], { signal: task.signal });
  const stored = new Map(pictures.map((picture) => [picture.width, picture]));
  // It crashes on pictures in JPEG 2000.
  const end = await session.run({ program: "/usr/bin/icns2png", args: ["-x", "-o", "/job", inside] }).catch((error: unknown) => {
    if (error instanceof EngineFault && stored.size > 0) return undefined;
    throw error;
  });
  const unpacked = new Map<number, string>();
  for (const name of (await readdir(session.pathOf(""))).sort()) {
    const [, width, depth] = /^icon_(\d+)x\d+x(\d+)\.png$/.exec(name) ?? [];
    // For each size, the one with the greatest depth.
    if (width !== undefined && (depth === "32" || !unpacked.has(Number(width)))) unpacked.set(Number(width), name);
  }
  const widths = [...new Set([...stored.keys(), ...unpacked.keys()])].sort((a, b) => b - a);
  const [largest] = widths;
  if (largest === undefined) {
    if (end !== undefined) throwIfFailed(end, badInput, notAnIcon);
    throw new FilemillError("INVALID_INPUT", notAnIcon);
  }
  const chosen = Number(stringOption(task.options, "size") ?? largest);
  const [picture, name] = [stored.get(chosen), unpacked.get(chosen)];
  noteSizes(task, widths.length, chosen === largest ? undefined : `that of ${chosen} pixels`);
  if (picture !== undefined) {
    await using icon = await open(task.input.path);
    if (!picture.isJp2) return await copyPieces(icon, task.outputPath, [[picture.offset, picture.length]]);
    await copyPieces(icon, session.pathOf("picture"), [[picture.offset, picture.length]]);
    await magicked(session, ["jp2:/job/picture", "png:/job/out"]);
    return await session.adopt("out");
  }
  if (name !== undefined) return await session.adopt(name);
  throw invalidOption("size", `The icon has no picture of this size; it has ${widths.join(", ")} pixels.`, widths.map(String));
}

async function putTogether(sandbox: Sandbox, task: HopTask): Promise<void> {
  const inside = "/input/picture.png";
  await using session = await openToolSession(sandbox, task, inside);
  const largest = numberOption(task.options, "size") ?? (await widthOf(session, inside));
  const fitting = sides.filter((side) => side <= largest);
  const wanted = fitting.length === 0 ? [16] : fitting;
  for (const side of wanted) {
    const size = `${side}x${side}`;
    const square = ["-resize", size, "-background", "none", "-gravity", "center", "-extent", size];
    await magicked(session, [`png:${inside}`, "-auto-orient", ...square, "-depth", "8", "-strip", ...deep, `png:/job/${side}.png`]);
  }
  const end = await session.run({ program: "/usr/bin/png2icns", args: ["/job/out.icns", ...wanted.map((side) => `/job/${side}.png`)] });
  if (end.exitCode !== 0) throw new FilemillError("CONVERSION_FAILED", "The icon could not be written.");
  await session.adopt("out.icns");
}

async function widthOf(session: ToolSession, inside: string): Promise<number> {
  const said = await magicked(session, ["-ping", `png:${inside}`, "-format", "size %w %h\n", "info:-"]);
  const [, width = 0, height = 0] = /^size (\d+) (\d+)$/m.exec(said)?.map(Number) ?? [];
  return Math.max(width, height);
}

async function magicked(session: ToolSession, args: readonly string[]): Promise<string> {
  const end = await session.run({ program: magick.path, args, ...withPolicy });
  if (/exceeds limit|cache resources exhausted|resource limit/i.test(end.stderr)) {
    throw new FilemillError("INPUT_TOO_COMPLEX", "The picture has too many pixels to convert.");
  }
  throwIfFailed(end, badInput, "The picture is damaged.");
  return end.stdout;
}

export const icnsutilsEngine = defineEngine({
  id: "icnsutils",
  label: "libicns",
  lane: "image",
  packages: ["icnsutils", ...magick.packages],
  hops,
  badInput,
  async probe(sandbox) {
    if ((await versionLineOf(sandbox, magick.path, ["-version"])) === undefined) return undefined;
    const end = await sandbox
      .run({ program: "/usr/bin/icns2png", args: ["--version"], limits: { wallMs: probeMs } })
      .catch(() => undefined);
    return /(\d{1,9}\.\d[\d.]*)/.exec(`${end?.stdout}${end?.stderr}`)?.[1];
  },
  run: (host, task) => (task.hop.to === "icns" ? putTogether(host.sandbox, task) : takeApart(host, task)),
});
