/** Drawings in SVG to pages, by librsvg: shapes stay shapes and text stays text. */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { FilemillError } from "#kit/errors.ts";
import { defineEngine, type Hop, type HopTask, type OptionDefinition } from "../domain/engine.ts";
import { expectingAll } from "../domain/expectations.ts";
import { replacedFontsMessage } from "../domain/font-note.ts";
import type { Sandbox } from "../domain/sandbox.ts";
import { numberOption } from "./hop-table.ts";
import { comparableFamily, familiesMissing } from "./svg-fonts.ts";
import { inputInside, openToolSession, versionLineOf } from "./tool-run.ts";

const program = "/usr/bin/rsvg-convert";
const maxUnpackedBytes = 50_000_000;
/** Of a drawing, for the fonts that it names. */
const lookedAtBytes = 4_000_000;

const density: OptionDefinition = {
  name: "density",
  type: "integer",
  min: 10,
  max: 1200,
  default: 96,
  unit: "dpi",
  description: "Pixels of the drawing in an inch: how large the page becomes, and a PNG",
};
const usual = { async: false, maxInputMb: 10, options: [density] } as const;
const zipped = { from: "svgz", ...usual, maxInputMb: 2 } as const;
const expects = expectingAll("FONT_SUBSTITUTED");

const hops: readonly Hop[] = [
  { from: "svg", to: "pdf", fidelity: "high", cost: 60, ...usual, expects },
  { from: "svg", to: "ps", fidelity: "high", cost: 70, ...usual, expects },
  { from: "svg", to: "eps", fidelity: "high", cost: 70, ...usual, expects },
  { ...zipped, to: "pdf", fidelity: "high", cost: 60 },
  { ...zipped, to: "png", fidelity: "high", cost: 80 },
  { ...zipped, to: "svg", fidelity: "lossless", cost: 5, options: [] },
];

async function unpack(task: HopTask): Promise<void> {
  const target = await open(task.outputPath, "wx");
  let length = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      const isTooMuch = length > maxUnpackedBytes;
      done(isTooMuch ? new FilemillError("INPUT_TOO_COMPLEX", "The drawing is too large once it is unpacked.") : null, chunk);
    },
  });
  try {
    await pipeline(createReadStream(task.input.path), createGunzip(), bounded, target.createWriteStream(), { signal: task.signal });
  } catch (cause) {
    if (cause instanceof FilemillError || task.signal.aborted) throw cause;
    throw new FilemillError("INVALID_INPUT", "The file is damaged or is not a compressed SVG.", { cause });
  }
}

/** Comparable names of the families here; none when fontconfig cannot be asked. */
async function familiesHere(sandbox: Sandbox): Promise<ReadonlySet<string>> {
  const end = await sandbox.run({ program: "/usr/bin/fc-list", args: [":", "family"], limits: { wallMs: 30_000 } }).catch(() => undefined);
  const names = end?.exitCode === 0 ? end.stdout.split(/[\n,]/) : [];
  return new Set(names.map(comparableFamily));
}

async function noteMissingFonts(task: HopTask, here: ReadonlySet<string>): Promise<void> {
  await using file = await open(task.input.path);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(Math.min(lookedAtBytes, task.input.sizeBytes)), position: 0 });
  const fonts = replacedFontsMessage(familiesMissing(buffer.toString("utf8", 0, bytesRead), here));
  if (fonts !== undefined) task.note("FONT_SUBSTITUTED", fonts);
}

async function run(sandbox: Sandbox, task: HopTask, families: () => Promise<ReadonlySet<string>>): Promise<void> {
  const { to } = task.hop;
  if (to === "svg") return await unpack(task);
  await using session = await openToolSession(sandbox, task);
  const density = String(numberOption(task.options, "density") ?? 96);
  const end = await session.run({
    program,
    args: ["-f", to, "-d", density, "-p", density, "-o", "/job/out", inputInside],
    // Whoever measures time must not find the day of the conversion in the result.
    env: { SOURCE_DATE_EPOCH: "0" },
  });
  if (/limit|too large|exceeds/i.test(end.stderr)) {
    throw new FilemillError("INPUT_TOO_COMPLEX", "The drawing is larger or has more parts than a conversion may use.");
  }
  if (end.exitCode !== 0) throw new FilemillError("INVALID_INPUT", "The drawing is damaged or is not SVG.");
  if (task.hop.from === "svg") {
    const here = await families();
    if (here.size > 0) await noteMissingFonts(task, here);
  }
  await session.adopt("out");
}

export const rsvgEngine = defineEngine({
  id: "rsvg",
  label: "librsvg",
  lane: "image",
  packages: ["librsvg2-bin"],
  hops,
  async probe(sandbox) {
    const line = await versionLineOf(sandbox, program, ["--version"]);
    return line === undefined ? undefined : /(\d{1,9}\.\d[\d.]*)/.exec(line)?.[1];
  },
  async open({ sandbox }) {
    let asked: Promise<ReadonlySet<string>> | undefined;
    const families = () => (asked ??= familiesHere(sandbox));
    return { run: (task) => run(sandbox, task, families), [Symbol.asyncDispose]: async () => undefined };
  },
});
