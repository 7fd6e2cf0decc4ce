/** Traces the outlines of a picture in two tones: what was dark becomes shapes. */
import { defineEngine, type HopTask, type OptionDefinition } from "../domain/engine.ts";
import type { Sandbox } from "../domain/sandbox.ts";
import { throwIfFailed } from "./bad-input.ts";
import { crossHops, flagOption, numberOption } from "./hop-table.ts";
import { inputInside, openToolSession, versionLineOf } from "./tool-run.ts";

const program = "/usr/bin/potrace";

const options: readonly OptionDefinition[] = [
  {
    name: "threshold",
    type: "number",
    min: 0.01,
    max: 0.99,
    default: 0.5,
    description: "Brightness below which a point counts as dark",
  },
  { name: "speckles", type: "integer", min: 0, max: 10_000, default: 2, unit: "px", description: "Spots of up to this size are left out" },
  { name: "smoothness", type: "number", min: 0, max: 1.34, default: 1, description: "How round corners become; 0 gives polygons" },
  { name: "invert", type: "boolean", default: false, description: "Traces what is light" },
];
const backends: Readonly<Record<string, string>> = { svg: "svg", eps: "eps", dxf: "dxf" };

const badInput = [/file format (?:not recognized|error)/];

async function run(sandbox: Sandbox, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const number = (name: string, otherwise: number) => String(numberOption(task.options, name) ?? otherwise);
  const end = await session.run({
    program,
    args: [
      ...["-b", backends[task.hop.to] ?? "svg", "-k", number("threshold", 0.5), "-t", number("speckles", 2)],
      ...["-a", number("smoothness", 1), ...(flagOption(task.options, "invert") ? ["-i"] : []), "-o", "/job/out", inputInside],
    ],
  });
  throwIfFailed(end, badInput, "The picture is damaged, or of a kind that cannot be traced.");
  await session.adopt("out");
}

export const potraceEngine = defineEngine({
  id: "potrace",
  label: "Potrace",
  lane: "image",
  packages: ["potrace"],
  hops: crossHops(["bmp", "pbm", "pgm", "ppm"], Object.keys(backends), () => ({
    fidelity: "reduced",
    cost: 150,
    async: false,
    maxInputMb: 50,
    options,
  })),
  badInput,
  async probe(sandbox) {
    const line = await versionLineOf(sandbox, program, ["--version"]);
    return line === undefined ? undefined : /\d{1,9}(?:\.\d+)+/.exec(line)?.[0];
  },
  async open({ sandbox }) {
    return { run: (task) => run(sandbox, task), [Symbol.asyncDispose]: async () => undefined };
  },
});
