/** Diagrams by Graphviz: a description of nodes and edges becomes a drawing. */
import {
  defineEngine,
  type EngineHost,
  type Fidelity,
  type Hop,
  type HopTask,
  type OptionDefinition,
} from "#services/conversion/domain/engine.ts";
import { expectingAll } from "#services/conversion/domain/expectations.ts";
import { saysOutOfMemory } from "#services/conversion/domain/process-end.ts";
import { failureOf, saysBadInput } from "../shared/bad-input.ts";
import { crossHops, numberOption, stringOption } from "../shared/hop-table.ts";
import { integerIn } from "../shared/options.ts";
import { inputInside, openToolSession, probeOf, type ToolSession } from "../shared/tool-run.ts";

const program = "/usr/bin/dot";

const layout: OptionDefinition = {
  name: "layout",
  type: "enum",
  values: ["dot", "neato", "fdp", "sfdp", "circo", "twopi"],
  default: "dot",
  description: "Layout of the nodes: layered, spring model (three kinds), circular, or radial",
};
const direction: OptionDefinition = {
  name: "direction",
  type: "enum",
  values: ["TB", "LR", "BT", "RL"],
  description: "Direction of the layers: down, right, up or left; default: from the file",
};
const dpi: OptionDefinition = integerIn("dpi", [24, 600], "Resolution of the picture", { default: 96, unit: "dpi" });

/** One way only: a graph cannot be recovered from a drawing or picture. */
const targets: Readonly<Record<string, { readonly fidelity: Fidelity; readonly options: readonly OptionDefinition[] }>> = {
  ...Object.fromEntries(["svg", "svgz", "pdf", "ps", "eps", "fig"].map((id) => [id, { fidelity: "high", options: [layout, direction] }])),
  ...Object.fromEntries(["png", "webp"].map((id) => [id, { fidelity: "high", options: [layout, direction, dpi] }])),
  ...Object.fromEntries(["jpg", "gif"].map((id) => [id, { fidelity: "reduced", options: [layout, direction, dpi] }])),
  ...Object.fromEntries(["xdot", "json"].map((id) => [id, { fidelity: "high", options: [layout, direction] }])),
  vrml: { fidelity: "reduced", options: [layout] },
};

const cost = { cost: 80, async: false, maxInputMb: 2 };

const hops: readonly Hop[] = [
  ...crossHops(["gv", "xdot"], Object.keys(targets), (_from, to) => {
    const target = targets[to];
    return target === undefined ? undefined : { ...target, ...cost, expects: expectingAll("EXTERNAL_CONTENT_BLOCKED") };
  }),
  ...crossHops(["graphml"], ["gv"], () => ({ fidelity: "high", ...cost, options: [] })),
  ...crossHops(["gv"], ["graphml"], () => ({ fidelity: "high", ...cost, options: [] })),
];

const badInput = [/syntax error|not well-formed|badly delimited|unclosed token|no element found|mismatched tag|invalid token/i];

async function run({ sandbox, inspector }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const { from, to } = task.hop;
  if (to === "graphml") await translate(session, "gv2gxl", ["-o", "/job/out", inputInside]);
  else if (from === "graphml")
    await translate(session, (await inspector.ask("isGxl", [task.input.path], { signal: task.signal })).isGxl ? "gxl2gv" : "graphml2gv", [
      "-o/job/out",
      inputInside,
    ]);
  else await draw(session, task);
  await session.adopt("out");
}

async function translate(session: ToolSession, tool: string, args: readonly string[]): Promise<void> {
  const end = await session.run({ program: `/usr/bin/${tool}`, args });
  // The readers of other formats exit with 0 after a syntax error.
  if (end.exitCode !== 0 || saysBadInput(end, badInput)) throw failureOf(end, badInput, "The graph is damaged and cannot be read.");
}

async function draw(session: ToolSession, task: HopTask): Promise<void> {
  const { to } = task.hop;
  const direction = stringOption(task.options, "direction");
  const end = await session.run({
    program,
    args: [
      // Pictures that the graph names are never looked up.
      ...[`-K${stringOption(task.options, "layout") ?? "dot"}`, `-T${to}`, "-Gimagepath=/nonexistent"],
      ...(direction === undefined ? [] : [`-Grankdir=${direction}`]),
      ...(to === "png" || to === "jpg" || to === "gif" || to === "webp" ? [`-Gdpi=${numberOption(task.options, "dpi") ?? 96}`] : []),
      ...["-o/job/out", inputInside],
    ],
    env: { GV_FILE_PATH: "/nonexistent", SERVER_NAME: "job" },
  });
  if (end.exitCode !== 0 || saysBadInput(end, badInput) || saysOutOfMemory(end)) {
    const line = /in line (\d+)/.exec(end.stderr)?.[1];
    throw failureOf(end, badInput, `The graph cannot be drawn${line === undefined ? "." : `: there is an error in line ${line}.`}`);
  }
  if (/No such file|can't open|No loadimage|not found|is unsafe/i.test(end.stderr)) task.note("EXTERNAL_CONTENT_BLOCKED");
}

export const graphvizEngine = defineEngine({
  id: "graphviz",
  label: "Graphviz",
  lane: "document",
  packages: ["graphviz"],
  hops,
  badInput,
  probe: probeOf(program, ["-V"], /version (\d[\d.]*)/),
  run,
});
