/** Diagrams by Graphviz: a description of nodes and edges becomes a drawing. */
import { join } from "node:path";
import {
  defineEngine,
  type EngineHost,
  type Fidelity,
  type Hop,
  type HopTask,
  type OptionDefinition,
} from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import { saysOutOfMemory } from "#services/conversion/domain/process-end.ts";
import { failureOf, saysBadInput } from "../shared/bad-input.ts";
import { crossHops, numberOption, stringOption } from "../shared/hop-table.ts";
import { integerIn, oneOf } from "../shared/options.ts";
import { inputInside, openToolSession, probeOf, type ToolSession } from "../shared/tool-run.ts";

const program = "/usr/bin/dot";
const script = join(import.meta.dirname, "graphml.py");
const scriptInside = "/engine/graphml.py";

const layout = oneOf(
  "layout",
  ["dot", "neato", "fdp", "sfdp", "circo", "twopi"],
  "Layout of the nodes: layered, spring model (three kinds), circular, or radial",
  "dot",
);
const direction = oneOf("direction", ["TB", "LR", "BT", "RL"], "Direction of the layers: down, right, up or left; default: from the file");
const dpi = integerIn("dpi", [24, 600], "Resolution of the picture", { default: 96, unit: "dpi" });

/** One way only: a graph cannot be recovered from a drawing or picture. */
const targets: Readonly<Record<string, { readonly fidelity: Fidelity; readonly options: readonly OptionDefinition[] }>> = {
  ...Object.fromEntries(["svg", "svgz", "pdf", "ps", "eps", "fig"].map((id) => [id, { fidelity: "high", options: [layout, direction] }])),
  ...Object.fromEntries(["png", "webp"].map((id) => [id, { fidelity: "high", options: [layout, direction, dpi] }])),
  ...Object.fromEntries(["jpg", "gif"].map((id) => [id, { fidelity: "reduced", options: [layout, direction, dpi] }])),
  ...Object.fromEntries(["xdot", "json"].map((id) => [id, { fidelity: "high", options: [layout, direction] }])),
  vrml: { fidelity: "reduced", options: [layout] },
};

/** A drawing and a GXL file hold one graph. */
const severalGraphs = expecting("PAGES_LEFT_OUT", "Only the first of several graphs is converted.");

const cost = { cost: 80, maxInputMb: 2 };

const hops: readonly Hop[] = [
  ...crossHops(["gv", "xdot"], Object.keys(targets), (_from, to) => {
    const target = targets[to];
    return target === undefined
      ? undefined
      : { ...target, ...cost, expects: [...expectingAll("EXTERNAL_CONTENT_BLOCKED", "ENCODING_GUESSED"), severalGraphs] };
  }),
  ...crossHops(["graphml"], ["gv"], () => ({
    ...{ fidelity: "high", ...cost, options: [] },
    expects: [
      expecting("STYLING_DROPPED", "Shapes, colours and positions of yEd are left out."),
      expecting("ENTRIES_LEFT_OUT", "Edges between more than two nodes are left out."),
    ],
  })),
  ...crossHops(["gv"], ["graphml"], () => ({ fidelity: "high", ...cost, options: [], expects: [severalGraphs] })),
];

const badInput = [/syntax error|not well-formed|badly delimited|unclosed token|no element found|mismatched tag|invalid token/i];

async function run({ sandbox, inspector }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const { from, to } = task.hop;
  if (to === "graphml") await writeGxl(session, task);
  else if (from !== "graphml") await draw(session, task);
  else if ((await inspector.ask("isGxl", [task.input.path], { signal: task.signal })).isGxl)
    await translate(session, { program: "/usr/bin/gxl2gv", args: ["-o/job/out", inputInside] });
  else await readGraphml(session, task);
  await session.adopt("out");
}

async function translate(session: ToolSession, command: Parameters<ToolSession["run"]>[0]): Promise<string> {
  const end = await session.run(command);
  // The readers of other formats exit with 0 after a syntax error.
  if (end.exitCode !== 0 || saysBadInput(end, badInput)) throw failureOf(end, badInput, "The graph is damaged and cannot be read.");
  return end.stdout;
}

/** The program declares Latin-1 but writes UTF-8, and writes one file after the other for several graphs. */
async function writeGxl(session: ToolSession, { note }: HopTask): Promise<void> {
  await translate(session, { program: "/usr/bin/gv2gxl", args: ["-o", "/job/all", inputInside] });
  const first = `sed '1s/iso-8859-1/UTF-8/;/^<\\/gxl>/q' /job/all > /job/out && grep -c '^</gxl>' /job/all`;
  noteGraphs(note, Number(await translate(session, { program: "/bin/sh", args: ["-c", first] })));
}

function noteGraphs(note: HopTask["note"], count: number): void {
  if (count > 1) note("PAGES_LEFT_OUT", `Only the first of ${count} graphs was converted.`);
}

/** Graphviz's own reader keeps neither data nor graphs inside nodes. */
async function readGraphml(session: ToolSession, { note }: HopTask): Promise<void> {
  const args = ["-I", scriptInside, inputInside, "/job/out"];
  const command = { program: "/usr/bin/python3", args, readOnly: { [script]: scriptInside } };
  const { isDrawn, hyperedges } = JSON.parse(await translate(session, command));
  if (isDrawn === true) note("STYLING_DROPPED", "Shapes, colours and positions of yEd were left out.");
  if (hyperedges > 0) note("ENTRIES_LEFT_OUT", `Edges between more than two nodes were left out: ${Number(hyperedges)}.`);
}

async function draw(session: ToolSession, task: HopTask): Promise<void> {
  const { to } = task.hop;
  const direction = stringOption(task.options, "direction");
  // It does not read the mark that editors on Windows put before UTF-8, and `-O` writes a file for each graph.
  const command = `sed '1s/^\\xef\\xbb\\xbf//' ${inputInside} > /job/in && ${program} "$@" -O /job/in && ls /job | grep -c '^in\\.' && mv /job/in.${to} /job/out`;
  const end = await session.run({
    program: "/bin/sh",
    args: [
      ...["-c", command, "dot"],
      // Pictures that the graph names are never looked up.
      ...[`-K${stringOption(task.options, "layout") ?? "dot"}`, `-T${to}`, "-Gimagepath=/nonexistent"],
      ...(direction === undefined ? [] : [`-Grankdir=${direction}`]),
      ...(to === "png" || to === "jpg" || to === "gif" || to === "webp" ? [`-Gdpi=${numberOption(task.options, "dpi") ?? 96}`] : []),
    ],
    env: { GV_FILE_PATH: "/nonexistent", SERVER_NAME: "job" },
  });
  if (end.exitCode !== 0 || saysBadInput(end, badInput) || saysOutOfMemory(end)) {
    const line = /in line (\d+)/.exec(end.stderr)?.[1];
    throw failureOf(end, badInput, `The graph cannot be drawn${line === undefined ? "." : `: there is an error in line ${line}.`}`);
  }
  noteGraphs(task.note, Number(end.stdout.trim()));
  if (/treated as Latin-1/.test(end.stderr)) task.note("ENCODING_GUESSED", "The text is not UTF-8 and was read as Latin-1.");
  if (/No such file|can't open|No loadimage|not found|is unsafe/i.test(end.stderr)) task.note("EXTERNAL_CONTENT_BLOCKED");
}

export const graphvizEngine = defineEngine({
  id: "graphviz",
  label: "Graphviz",
  lane: "document",
  packages: ["graphviz", "python3"],
  hops,
  badInput,
  probe: probeOf(program, ["-V"], /version (\d[\d.]*)/),
  run,
});
