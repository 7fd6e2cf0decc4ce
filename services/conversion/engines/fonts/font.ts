/** Typefaces by FontForge, each in a fresh process. */
import { copyFile } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type Fidelity, type Hop, type HopTask } from "#services/conversion/domain/engine.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { failureOf, saysBadInput } from "../shared/bad-input.ts";
import { crossHops, words } from "../shared/hop-table.ts";
import { inputInside, openToolSession, type ToolSession, versionLineOf } from "../shared/tool-run.ts";

const program = "/usr/bin/fontforge";
const archiver = "/usr/bin/bsdtar";
/** Opens and writes, and nothing else: what a font brings along is not run. */
const script = "Open($1); Generate($2)";
/** Its own format is kept, not generated. */
const savingScript = "Open($1); Save($2)";

const outlines = words("ttf otf woff woff2");
const typeOne = words("pfb pfa");

/** Curves are of two sorts, and Type 1 lacks the layout tables of newer fonts. */
function fidelityOf(from: string, to: string): Fidelity {
  return typeOne.includes(to) && !typeOne.includes(from) ? "reduced" : "high";
}

const formats = [...outlines, ...typeOne];
/** Of editors and printers: to and from what they hold outlines of. */
const sources = words("svgfont ufo sfd dfont");
/** What the file is called where that is not the format's id: the end of a name decides. */
const extensions: Readonly<Record<string, string>> = { svgfont: "svg" };
const hopOf = (from: string, to: string): Omit<Hop, "from" | "to"> => ({
  fidelity: sources.includes(to) || sources.includes(from) ? "reduced" : fidelityOf(from, to),
  cost: to === "woff2" ? 1500 : 400,
  async: false,
  maxInputMb: 40,
  options: [],
});
const hops: readonly Hop[] = [
  ...crossHops(formats, formats, hopOf),
  ...crossHops(words("ttf otf"), sources, hopOf),
  ...crossHops(sources, words("ttf otf"), hopOf),
  ...crossHops(["ttf"], ["t42"], hopOf),
  ...crossHops(["t42"], ["ttf"], hopOf),
];

const badInput = [/Failed to open|not in a known format/];

async function run(sandbox: Sandbox, task: HopTask): Promise<void> {
  const { from, to } = task.hop;
  await using session = await openToolSession(sandbox, task);
  // The name's end decides what it is read and written as.
  const [input, output] = [`in.${extensions[from] ?? from}`, `out.${extensions[to] ?? to}`];
  if (from === "ufo") await unpack(session);
  else await copyFile(task.input.path, session.pathOf(input));
  const args = ["-nosplash", "-lang=ff", "-c", to === "sfd" ? savingScript : script, `/job/${input}`, `/job/${output}`];
  const end = await session.run({ program, args, limits: { addressSpace: false } });
  if (end.exitCode !== 0 || saysBadInput(end, badInput))
    throw failureOf(end, badInput, `The font is damaged or is not ${from.toUpperCase()}.`);
  if (to !== "ufo") return await session.adopt(output);
  const packed = await session.run({ program: archiver, args: ["-cf", "/job/out.zip", "--format=zip", "-C", "/job", output] });
  if (packed.exitCode !== 0) throw new FilemillError("CONVERSION_FAILED", "The font could not be written in this format.");
  await session.adopt("out.zip");
}

/** A font of this sort is a folder, which lies in a ZIP with or without its own name. */
async function unpack(session: ToolSession): Promise<void> {
  await session.run({ program: "/usr/bin/mkdir", args: ["/job/unpacked"] });
  const unpacked = await session.run({ program: archiver, args: ["-xf", inputInside, "-C", "/job/unpacked", "--no-same-owner"] });
  const find =
    'for each in /job/unpacked /job/unpacked/*; do if [ -f "$each/metainfo.plist" ]; then exec mv "$each" /job/in.ufo; fi; done; exit 1';
  const found = await session.run({ program: "/bin/sh", args: ["-c", find] });
  if (unpacked.exitCode !== 0 || found.exitCode !== 0) throw new FilemillError("INVALID_INPUT", "The file holds no font.");
}

export const fontEngine = defineEngine({
  id: "fontforge",
  label: "FontForge",
  lane: "document",
  packages: ["fontforge-nox"],
  hops,
  badInput,
  async probe(sandbox) {
    const line = await versionLineOf(sandbox, program, ["--version"]);
    return line === undefined ? undefined : /(\d{8})/.exec(line)?.[1];
  },
  async open({ sandbox }) {
    return { run: (task) => run(sandbox, task), [Symbol.asyncDispose]: async () => undefined };
  },
});
