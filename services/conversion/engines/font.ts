/** Typefaces by FontForge, each in a fresh process. */
import { copyFile } from "node:fs/promises";
import { FilemillError } from "#kit/errors.ts";
import { defineEngine, type Fidelity, type Hop, type HopTask } from "../domain/engine.ts";
import type { Sandbox } from "../domain/sandbox.ts";
import { crossHops, words } from "./hop-table.ts";
import { openToolSession, versionLineOf } from "./tool-run.ts";

const program = "/usr/bin/fontforge";
/** Opens and writes, and nothing else: what a font brings along is not run. */
const script = "Open($1); Generate($2)";

const outlines = words("ttf otf woff woff2");
const typeOne = words("pfb pfa");

/** Curves are of two sorts, and Type 1 lacks the layout tables of newer fonts. */
function fidelityOf(from: string, to: string): Fidelity {
  return typeOne.includes(to) && !typeOne.includes(from) ? "reduced" : "high";
}

const formats = [...outlines, ...typeOne];
const hops: readonly Hop[] = crossHops(formats, formats, (from, to) => ({
  fidelity: fidelityOf(from, to),
  cost: to === "woff2" ? 1500 : 400,
  async: false,
  maxInputMb: 40,
  options: [],
}));

async function run(sandbox: Sandbox, task: HopTask): Promise<void> {
  const { from, to } = task.hop;
  await using session = await openToolSession(sandbox, task);
  // The name's end decides what it is read and written as.
  await copyFile(task.input.path, session.pathOf(`in.${from}`));
  const args = ["-nosplash", "-lang=ff", "-c", script, `/job/in.${from}`, `/job/out.${to}`];
  const end = await session.run({ program, args, limits: { addressSpace: false } });
  if (/Failed to open/.test(end.stderr) || /not in a known format/.test(end.stderr)) {
    throw new FilemillError("INVALID_INPUT", `The font is damaged or is not ${from.toUpperCase()}.`);
  }
  if (end.exitCode !== 0) throw new FilemillError("CONVERSION_FAILED", "The font could not be written in this format.");
  await session.adopt(`out.${to}`);
}

export const fontEngine = defineEngine({
  id: "fontforge",
  label: "FontForge",
  lane: "document",
  packages: ["fontforge-nox"],
  hops,
  async probe(sandbox) {
    const line = await versionLineOf(sandbox, program, ["--version"]);
    return line === undefined ? undefined : /(\d{8})/.exec(line)?.[1];
  },
  async open({ sandbox }) {
    return { run: (task) => run(sandbox, task), [Symbol.asyncDispose]: async () => undefined };
  },
});
