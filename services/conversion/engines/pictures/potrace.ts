/** Traces the outlines of a bilevel picture: dark areas become shapes. */
import { defineEngine, type EngineHost, type HopTask, type OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expectingAll } from "#services/conversion/domain/expectations.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { crossHops, flagOption, numberOption } from "../shared/hop-table.ts";
import { decimalIn } from "../shared/options.ts";
import { inputInside, openToolSession, probeOf, type ToolSession } from "../shared/tool-run.ts";
import { lenient, magick, withPolicy } from "./imagemagick-program.ts";

const program = "/usr/bin/potrace";

const options: readonly OptionDefinition[] = [
  decimalIn("threshold", [0.01, 0.99], "Brightness threshold below which a pixel is black", { default: 0.5 }),
  { name: "speckles", type: "integer", min: 0, max: 10_000, default: 2, unit: "px", description: "Maximum size of spots to leave out" },
  { name: "smoothness", type: "number", min: 0, max: 1.34, default: 1, description: "Corner smoothing; 0 gives polygons" },
  { name: "invert", type: "boolean", default: false, description: "Trace the light areas instead" },
];
const backends: Readonly<Record<string, string>> = { svg: "svg", eps: "eps", dxf: "dxf" };

const badInput = [/file format (?:not recognized|error)/];

async function run({ sandbox }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const number = (name: string, otherwise: number) => String(numberOption(task.options, name) ?? otherwise);
  const input = task.hop.from === "bmp" ? await flattened(session, task) : inputInside;
  const end = await session.run({
    program,
    args: [
      ...["-b", backends[task.hop.to] ?? "svg", "-k", number("threshold", 0.5), "-t", number("speckles", 2)],
      ...["-a", number("smoothness", 1), ...(flagOption(task.options, "invert") ? ["-i"] : []), "-o", "/job/out", input],
    ],
  });
  throwIfFailed(end, badInput, "The picture is damaged, or of a kind that cannot be traced.");
  if (/: premature end of file/.test(end.stderr)) task.note("INPUT_DAMAGED");
  await session.adopt("out");
}

/** Potrace uses the hidden colours under transparency, which are mostly black. */
async function flattened(session: ToolSession, task: HopTask): Promise<string> {
  const end = await session.run({
    program: magick.path,
    args: [
      ...[...lenient, `bmp:${inputInside}`, "-format", "opaque %[opaque]\n", "-write", "info:-"],
      ...["-background", "white", "-alpha", "remove", "-alpha", "off", "-define", "bmp:format=bmp3", "bmp:/job/flat.bmp"],
    ],
    ...withPolicy,
  });
  // Whatever ImageMagick cannot read or refuses for its size is left to Potrace; it has no known transparency.
  if (end.exitCode !== 0 || !/^opaque false/im.test(end.stdout)) return inputInside;
  task.note("ALPHA_FLATTENED");
  return "/job/flat.bmp";
}

export const potraceEngine = defineEngine({
  id: "potrace",
  label: "Potrace",
  lane: "image",
  packages: ["potrace", ...magick.packages],
  hops: crossHops(["bmp", "pbm", "pgm", "ppm"], Object.keys(backends), (from) => ({
    fidelity: "reduced",
    cost: 150,
    maxInputMb: 50,
    options,
    expects: expectingAll(from === "bmp" && "ALPHA_FLATTENED"),
  })),
  badInput,
  probe: probeOf(program, ["--version"], /(\d{1,9}(?:\.\d+)+)/),
  run,
});
