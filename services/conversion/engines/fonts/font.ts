/** Fonts of editors and printers converted by FontForge, each in a fresh process. */
import { copyFile } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type Fidelity, type Hop, type HopTask } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import { LacksContent } from "#services/conversion/domain/failure.ts";
import { failureOf, saysBadInput } from "../shared/bad-input.ts";
import { crossHops, words } from "../shared/hop-table.ts";
import { inputInside, openToolSession, probeOf, type ToolSession } from "../shared/tool-run.ts";
import { extrasOf, noteLosses } from "./font-losses.ts";

const program = "/usr/bin/fontforge";
const archiver = "/usr/bin/bsdtar";
/** Only opens and writes: no code that a font carries is run. The flag opens fonts that must not be embedded, too. */
const script = "Open($1, 1); Generate($2)";
/** FontForge's own format is saved, not generated. */
const savingScript = "Open($1, 1); Save($2)";

const outlines = words("ttf otf woff woff2");
const typeOne = words("pfb pfa");

/** TrueType and PostScript curves differ, and Type 1 lacks the layout tables of newer fonts. */
function fidelityOf(from: string, to: string): Fidelity {
  return typeOne.includes(to) && !typeOne.includes(from) ? "reduced" : "high";
}

const formats = [...outlines, ...typeOne];
/** Formats of editors and printers: converted only to and from the font formats that hold their outlines. */
const sources = words("svgfont ufo sfd dfont");
/** File extensions that differ from the format id; FontForge goes by the extension. */
const extensions: Readonly<Record<string, string>> = { svgfont: "svg" };
const losses = [
  expecting(
    "STRUCTURE_DROPPED",
    "Features, variations, colours and hinting that the format does not store are left out, and all but the first font of a suitcase or collection.",
  ),
  expecting("METADATA_DROPPED", "Texts about the font that the format does not store are left out."),
];
const hopOf = (from: string, to: string): Omit<Hop, "from" | "to"> => ({
  fidelity: sources.includes(to) || sources.includes(from) ? "reduced" : fidelityOf(from, to),
  cost: to === "woff2" ? 1500 : 400,
  maxInputMb: 40,
  options: [],
  expects: typeOne.includes(from) ? losses.slice(0, 1) : losses,
});
const hops: readonly Hop[] = [
  ...crossHops(formats, typeOne, hopOf),
  ...crossHops(typeOne, outlines, hopOf),
  ...crossHops(words("ttf otf"), sources, hopOf),
  ...crossHops(sources, words("ttf otf"), hopOf),
  ...crossHops(["ttf"], ["t42"], hopOf),
  ...crossHops(["t42"], ["ttf"], hopOf),
];

const badInput = [/Failed to open|not in a known format/];

async function run({ sandbox }: EngineHost, task: HopTask): Promise<void> {
  const { from, to } = task.hop;
  await using session = await openToolSession(sandbox, task);
  // FontForge reads and writes by file extension.
  const [input, output] = [`in.${extensions[from] ?? from}`, `out.${extensions[to] ?? to}`];
  if (from === "ufo") await unpack(session);
  else await copyFile(task.input.path, session.pathOf(input));
  const args = ["-nosplash", "-lang=ff", "-c", to === "sfd" ? savingScript : script, `/job/${input}`, `/job/${output}`];
  const end = await session.run({ program, args, limits: { addressSpace: false } });
  if (end.exitCode !== 0 || saysBadInput(end, badInput)) {
    const { outlines } = await extrasOf(session, from, from === "ufo" ? inputInside : `/job/${input}`);
    if (outlines === "none") throw new LacksContent("The font has no outlines to convert.");
    if (outlines === "variable")
      throw new FilemillError("CONVERSION_FAILED", "The font has variable outlines (CFF2), which this conversion cannot read.");
    throw failureOf(end, badInput, `The font is damaged or is not ${from.toUpperCase()}.`);
  }
  if (to === "ufo") await pack(session, output);
  const result = to === "ufo" ? "out.zip" : output;
  await noteLosses(session, task, from === "ufo" ? inputInside : `/job/${input}`, `/job/${result}`);
  await session.adopt(result);
}

async function pack(session: ToolSession, output: string): Promise<void> {
  const packed = await session.run({ program: archiver, args: ["-cf", "/job/out.zip", "--format=zip", "-C", "/job", output] });
  if (packed.exitCode !== 0) throw new FilemillError("CONVERSION_FAILED", "The font could not be written in this format.");
}

/** A UFO is a folder, packed in a ZIP with or without a top-level folder. */
async function unpack(session: ToolSession): Promise<void> {
  await session.run({ program: "/usr/bin/mkdir", args: ["/job/unpacked"] });
  const unpacked = await session.run({ program: archiver, args: ["-xf", inputInside, "-C", "/job/unpacked", "--no-same-owner"] });
  const find =
    'for each in /job/unpacked /job/unpacked/*; do if [ -f "$each/metainfo.plist" ]; then exec mv "$each" /job/in.ufo; fi; done; exit 1';
  const found = await session.run({ program: "/bin/sh", args: ["-c", find] });
  if (unpacked.exitCode !== 0 || found.exitCode !== 0) throw new FilemillError("INVALID_INPUT", "The file contains no font.");
}

export const fontEngine = defineEngine({
  id: "fontforge",
  label: "FontForge",
  lane: "document",
  packages: ["fontforge-nox", "python3-fonttools", "python3-brotli"],
  hops,
  badInput,
  probe: probeOf(program, ["--version"], /(\d{8})/),
  run,
});
