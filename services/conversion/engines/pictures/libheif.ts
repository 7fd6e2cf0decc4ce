/** HEIC, the picture format of phones, by the tools of libheif. */
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
import { EngineFault } from "#services/conversion/domain/failure.ts";
import type { Expectation } from "#services/conversion/domain/notes.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { numberOption, ownHops, stringOption } from "../shared/hop-table.ts";
import { writeJpegPage } from "../shared/jpeg-page.ts";
import { integerIn, oneOf } from "../shared/options.ts";
import { pageOf, picturePage, wishOf } from "../shared/picture-page.ts";
import { inputInside, openToolSession, probeMs, stepFile, type ToolSession, versionLineOf } from "../shared/tool-run.ts";
import { standUpright } from "./exif-upright.ts";
import { metadataChoice, profileChoice, reshapes, reshaping } from "./picture-options.ts";
import { noteOblong } from "./pixel-notes.ts";
import { openSharpChildren } from "./sharp-children.ts";

const reader = { maxInputMb: 100 } as const;
const choices = [...reshaping, metadataChoice, profileChoice];
const expects: readonly Expectation[] = [
  ...expectingAll("PAGES_LEFT_OUT"),
  expecting("PROFILE_CONVERTED", "High dynamic range is mapped to standard dynamic range."),
  ...expectingAll("MEDIA_CHANGED"),
];

const encoding: readonly OptionDefinition[] = [
  { name: "quality", type: "integer", min: 0, max: 100, default: 50, description: "Quality of lossy compression" },
  oneOf("effort", ["ultrafast", "superfast", "veryfast", "fast", "medium"], "Effort: higher is smaller and slower", "ultrafast"),
];

const jpegQuality = integerIn("quality", [1, 100], "Quality of lossy compression", { default: 90 });

/** JPEG pictures become HEIC through PNG, because heif-enc drops their orientation. */
const hops: readonly Hop[] = [
  {
    ...{ from: "heic", to: "png", fidelity: "lossless", cost: 150, ...reader, options: choices },
    expects: [...expects, expecting("ALPHA_FLATTENED", { option: "background" })],
  },
  {
    ...{ from: "heic", to: "jpg", fidelity: "high", cost: 100, ...reader, options: [jpegQuality, ...choices] },
    expects: [...expects, expecting("ALPHA_FLATTENED")],
  },
  {
    ...{ from: "heic", to: "pdf", fidelity: "high", cost: 130, ...reader, options: [jpegQuality, ...choices, ...picturePage] },
    expects: [...expects, expecting("ALPHA_FLATTENED")],
  },
  {
    ...{ from: "png", to: "heic", fidelity: "high", cost: 400, ...reader, options: [...encoding, metadataChoice] },
    expects: expectingAll("ORIENTATION_APPLIED", "PROFILE_CONVERTED", "MEDIA_CHANGED"),
  },
  ...ownHops(["heic"], () => ({
    ...{ fidelity: "high", cost: 600, ...reader, options: [...encoding, ...choices] },
    expects: [...expects, expecting("ALPHA_FLATTENED", { option: "background" })],
  })),
];

const badInput = [
  /Invalid input|Unsupported (?:feature|codec|filetype)|^libpng error|Error while loading|Decoder plugin generated an error|Could not decode/m,
];

/**
 * heif-enc stores pixels unrotated, and HEIC readers ignore the EXIF orientation, so pictures are rotated first. It aborts on greyscale
 * with few bits, corrupts palettes with transparency, takes colour spaces only from a profile, which readers refuse if it is for greys, and
 * the resolution only from EXIF.
 */
async function encode({ sandbox, inspector }: EngineHost, pictures: OpenEngine, task: HopTask): Promise<void> {
  const asked = { more: { format: "png" }, signal: task.signal };
  const facts = await inspector.ask("pictureFacts", [task.input.path], asked);
  const { orientation, bitDepth = 8, isKeyed = false } = facts;
  const { isNamed } = await inspector.ask("namedColours", [task.input.path], asked);
  if (bitDepth > 8) task.note("MEDIA_CHANGED", `Colours have 10 bits instead of ${bitDepth}.`);
  const isStripped = task.options.metadata === "strip";
  const isOther = isKeyed || isNamed || isStripped || facts.hasGreyProfile === true || facts.isSizedOutsideExif === true;
  if (orientation === 1 && bitDepth >= 8 && !isOther) {
    try {
      noteOblong(task, facts.tallness);
      return await encodeUpright(sandbox, task);
    } catch (error) {
      // heif-enc aborts on whatever libpng cannot read; libvips reports the error, or reads the picture.
      if (!(error instanceof EngineFault && error.kind === "crashed")) throw error;
    }
  }
  await using made = stepFile(task, "upright");
  const options = { compressionLevel: 1, metadata: isStripped ? "strip" : "keep", profile: "keep", isSizedInExif: !isStripped };
  await pictures.run({ ...task, hop: { ...task.hop, to: "png" }, options, outputPath: made.path });
  await encodeUpright(sandbox, { ...task, input: await made.as(task.input.format) });
}

async function encodeUpright(sandbox: Sandbox, task: HopTask): Promise<void> {
  const inside = "/input/picture.png";
  await using session = await openToolSession(sandbox, task, inside);
  const quality = ["-q", String(numberOption(task.options, "quality") ?? 50)];
  const effort = ["-p", `preset=${stringOption(task.options, "effort") ?? "ultrafast"}`];
  const end = await session.run({ program: "/usr/bin/heif-enc", args: [...quality, ...effort, "-o", "/job/out.heic", inside] });
  throwIfFailed(end, badInput, "The picture is damaged or is not a PNG.");
  await session.adopt("out.heic");
}

async function decode({ sandbox, inspector }: EngineHost, pictures: OpenEngine, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const facts = await readFacts(session, task);
  const bits = task.hop.to === "jpg" ? (await samplesIn(session)).bits : 8;
  if (bits > 8) task.note("MEDIA_CHANGED", `Colours have 8 bits instead of ${bits}.`);
  const colours = await inspector.ask("namedColours", [task.input.path], { more: { format: "heic" }, signal: task.signal });
  const isNamed = colours.isNamed && task.options.profile !== "strip";
  // In a JPEG, the tool would reveal the hidden colours under transparent pixels.
  const isRough = reshapes(task) || isNamed || (task.hop.to === "jpg" && facts.hasAlpha);
  if (!isRough) return await decodeTo({ session, inspector }, task, facts, task.hop.to, task.outputPath);
  await using made = stepFile(task, "decoded");
  // For an opaque JPEG, or when shrinking, JPEG loses nothing that the result would hold, in a sixth of the time.
  const isOpaque = !facts.hasAlpha && !isNamed;
  const way = isOpaque && (task.hop.to === "jpg" || (isMadeSmaller(task, facts) && (await samplesIn(session)).isPlain)) ? "jpg" : "png";
  await decodeTo({ session, inspector }, { ...task, options: { quality: 100 } }, facts, way, made.path);
  const input = await made.as(way);
  const named = isNamed ? { namedColours: `${colours.primaries}/${colours.transfer}` } : {};
  const options = { metadata: "keep", profile: "keep", compressionLevel: 6, ...task.options, ...named };
  await pictures.run({ ...task, hop: { ...task.hop, from: way }, input, options });
}

/** Embedded as JPEG: lossless data would be eight times as large as the phone's file. */
async function layOnPage(host: EngineHost, pictures: OpenEngine, task: HopTask): Promise<void> {
  await using made = stepFile(task, "jpg");
  const isOfPage = new Set(picturePage.map(({ name }) => name));
  const options = Object.fromEntries(Object.entries(task.options).filter(([name]) => !isOfPage.has(name)));
  await decode(host, pictures, { ...task, hop: { ...task.hop, to: "jpg" }, options, outputPath: made.path });
  const facts = await host.inspector.ask("pictureFacts", [made.path], { more: { format: "jpg" }, signal: task.signal });
  const { box, matrix } = pageOf(facts, wishOf(task.options));
  const input = await made.as("jpg");
  await writeJpegPage(host.inspector, { ...task, input }, box, matrix);
}

/** Through PNG, if it is changed. */
async function rewrite(host: EngineHost, pictures: OpenEngine, task: HopTask): Promise<void> {
  await using made = stepFile(task, "changed");
  await decode(host, pictures, { ...task, hop: { ...task.hop, to: "png" }, outputPath: made.path });
  await encodeUpright(host.sandbox, { ...task, input: await made.as("png") });
}

async function decodeTo(
  { session, inspector }: { readonly session: ToolSession } & Pick<EngineHost, "inspector">,
  task: HopTask,
  { pictures, place }: Facts,
  to: string,
  path: string,
): Promise<void> {
  const quality = to === "jpg" ? ["-q", String(numberOption(task.options, "quality") ?? 90)] : [];
  const end = await session.run({ program: "/usr/bin/heif-convert", args: ["--quiet", ...quality, inputInside, `/job/out.${to}`] });
  refuseUnknownKind(end);
  throwIfFailed(end, badInput, "The picture is damaged or uses an unsupported compression.");
  // Several pictures are numbered.
  await session.adopt(pictures > 1 ? `out-${place}.${to}` : `out.${to}`, path);
  // The pixels are already rotated; readers of the phone's EXIF would rotate them again.
  await standUpright(inspector, path);
}

/** `place`: of the main picture among them, which may follow its tiles. */
type Facts = { readonly pictures: number; readonly place: number; readonly hasAlpha: boolean; readonly leastSide: number };

function refuseUnknownKind({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): void {
  if (/(?:unsupported|not an) HEIF|Unsupported file-type/.test(`${stdout}${stderr}`))
    throw new FilemillError("CONVERSION_FAILED", "The HEIF file is of a kind, such as a sequence of pictures, that could not be read.");
}

const isMadeSmaller = ({ options }: HopTask, { leastSide }: Facts): boolean =>
  ["width", "height"].some((name) => (numberOption(options, name) ?? Infinity) < leastSide);

/** The most bits of any part, and whether it has no more colour data than a JPEG: eight bits and 4:2:0 subsampling. */
async function samplesIn(session: ToolSession): Promise<{ readonly bits: number; readonly isPlain: boolean }> {
  let isMore = false;
  let [tiles, bits] = [0, 8];
  const end = await session.run({
    program: "/usr/bin/heif-info",
    args: ["-d", inputInside],
    onLine(line) {
      const [, name, value = ""] = /\b(chroma_format|bit_depth_luma|bit_depth_chroma): (\d{1,3})/.exec(line) ?? [];
      if (name === undefined) return;
      tiles += 1;
      if (name !== "chroma_format") bits = Math.max(bits, Number(value));
      isMore ||= Number(value) > (name === "chroma_format" ? 1 : 8);
    },
  });
  return { bits, isPlain: end.exitCode === 0 && tiles > 0 && !isMore };
}

async function readFacts(session: ToolSession, task: HopTask): Promise<Facts> {
  const end = await session.run({ program: "/usr/bin/heif-info", args: [inputInside] });
  refuseUnknownKind(end);
  throwIfFailed(end, badInput, "The picture is damaged or uses an unsupported compression.");
  const all = [...end.stdout.matchAll(/^image: (\d{1,6})x(\d{1,6}) \(id=\d{1,10}\)(, primary)?/gm)];
  const place = all.findIndex((each) => each[3] !== undefined) + 1 || 1;
  if (all.length > 1) task.note("PAGES_LEFT_OUT", `Only the main one of ${all.length} pictures was converted.`);
  const sides = (all[place - 1] ?? []).slice(1, 3).map(Number);
  return { pictures: all.length, place, hasAlpha: /alpha channel: yes/.test(end.stdout), leastSide: Math.min(...sides) };
}

export const libheifEngine = defineEngine({
  id: "libheif",
  label: "libheif",
  lane: "image",
  packages: ["libheif-examples"],
  hops,
  badInput,
  async probe(sandbox) {
    const line = await versionLineOf(sandbox, "/usr/bin/heif-enc", ["--list-encoders"]);
    if (line === undefined) return undefined;
    const help = await sandbox.run({ program: "/usr/bin/heif-convert", args: ["--help"], limits: { wallMs: probeMs } });
    return /libheif version: (\d[\d.]*)/.exec(`${help.stdout}${help.stderr}`)?.[1];
  },
  async open(host) {
    const pictures = await openSharpChildren(host, 0);
    return {
      run(task) {
        const { from, to } = task.hop;
        const work = to === "pdf" ? layOnPage : to !== "heic" ? decode : from === "heic" ? rewrite : encode;
        return work(host, pictures, task);
      },
      [Symbol.asyncDispose]: () => pictures[Symbol.asyncDispose](),
    };
  },
});
