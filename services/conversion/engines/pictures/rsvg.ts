/** SVG drawings to pages, by librsvg: shapes stay vectors and text stays text. */
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type Hop, type HopTask } from "#services/conversion/domain/engine.ts";
import { expectingAll } from "#services/conversion/domain/expectations.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { numberOption } from "../shared/hop-table.ts";
import { integerIn } from "../shared/options.ts";
import { inputInside, openToolSession, probeOf, type ToolSession } from "../shared/tool-run.ts";
import { unsupported } from "./sharp-hops.ts";
import { undrawnNotes } from "./svg-notes.ts";

const program = "/usr/bin/rsvg-convert";
const maxUnpackedBytes = 50_000_000;

const density = integerIn("density", [10, 1200], "Resolution in dpi; determines the size of the page or picture", {
  default: 96,
  unit: "dpi",
});
const usual = { maxInputMb: 10, options: [density] } as const;
const zipped = { from: "svgz", ...usual, maxInputMb: 2 } as const;
const expects = [...expectingAll("FONT_SUBSTITUTED", "EXTERNAL_CONTENT_BLOCKED"), ...unsupported];

const hops: readonly Hop[] = [
  { from: "svg", to: "pdf", fidelity: "high", cost: 60, ...usual, expects },
  { from: "svg", to: "ps", fidelity: "high", cost: 70, ...usual, expects },
  { from: "svg", to: "eps", fidelity: "high", cost: 70, ...usual, expects },
  { ...zipped, to: "pdf", fidelity: "high", cost: 60, expects },
  { ...zipped, to: "png", fidelity: "high", cost: 80, expects },
  { ...zipped, to: "svg", fidelity: "lossless", cost: 5, options: [] },
];

const badInput = [
  /XML parse error|I\/O error: |does not have <svg> root/,
  /unexpected end of file|not in gzip format|invalid compressed data/,
];

async function unpack(session: ToolSession): Promise<void> {
  // Captured standard output is small, so the shell redirects it to a file.
  const args = ["-c", `exec /usr/bin/gzip -dc < ${inputInside} > /job/out`];
  const end = await session.run({ program: "/bin/sh", args, limits: { fileBytes: maxUnpackedBytes } });
  // gzip exits with this message unless the signal kills it first.
  if (/file too large/i.test(end.stderr)) throw new FilemillError("INPUT_TOO_COMPLEX", "The drawing is too large when decompressed.");
  throwIfFailed(end, badInput, "The file is damaged or is not a compressed SVG.");
  await session.adopt("out");
}

async function run({ sandbox }: EngineHost, task: HopTask, noteUndrawn: (task: HopTask) => Promise<void>): Promise<void> {
  const { to } = task.hop;
  await using session = await openToolSession(sandbox, task);
  if (to === "svg") return await unpack(session);
  const density = String(numberOption(task.options, "density") ?? 96);
  const end = await session.run({
    program,
    args: ["-f", to, "-d", density, "-p", density, "-o", "/job/out", inputInside],
    // A fixed date keeps the result reproducible.
    env: { SOURCE_DATE_EPOCH: "0" },
  });
  if (/limit|too large|exceeds/i.test(end.stderr)) {
    throw new FilemillError("INPUT_TOO_COMPLEX", "The drawing is too large or has too many parts to convert.");
  }
  throwIfFailed(end, badInput, "The drawing is damaged or is not SVG.");
  await noteUndrawn(task);
  await session.adopt("out");
}

export const rsvgEngine = defineEngine({
  id: "rsvg",
  label: "librsvg",
  lane: "image",
  packages: ["librsvg2-bin"],
  hops,
  badInput,
  probe: probeOf(program, ["--version"], /(\d{1,9}\.\d[\d.]*)/),
  async open(host) {
    const noteUndrawn = undrawnNotes(host, ["webp", "avif", "of another kind than stated"]);
    return { run: (task) => run(host, task, noteUndrawn), [Symbol.asyncDispose]: async () => undefined };
  },
});
