/** Notes what FontForge leaves out of a font: what the source has besides outlines, and the result has not. */
import { join } from "node:path";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { firstNames } from "../shared/hop-table.ts";
import type { ToolSession } from "../shared/tool-run.ts";

const script = join(import.meta.dirname, "font-extras.py");
const scriptInside = "/engine/font-extras.py";

type Extras = Readonly<Record<"features" | "axes" | "hinting" | "languages" | "texts", readonly string[]>> &
  Readonly<Record<"colours" | "bitmaps" | "mathematics", boolean>> & {
    /** A suitcase or collection has several. */
    readonly fonts: number;
    /** FontForge cannot read variable PostScript outlines, or fonts of bitmaps alone. */
    readonly outlines: "readable" | "variable" | "none";
  };

/** `path`: inside the sandbox. */
export async function extrasOf(session: ToolSession, format: string, path: string): Promise<Extras> {
  const args = ["-I", scriptInside, format, path];
  const end = await session.run({ program: "/usr/bin/python3", args, readOnly: { [script]: scriptInside } });
  throwIfFailed(end, [], "");
  return JSON.parse(end.stdout);
}

/** To be called when the result has been written. */
export async function noteLosses(session: ToolSession, { hop, note }: HopTask, source: string, result: string): Promise<void> {
  const [before, after] = [await extrasOf(session, hop.from, source), await extrasOf(session, hop.to, result)];
  const lostOf = (key: "features" | "axes" | "hinting" | "languages" | "texts") => before[key].filter((each) => !after[key].includes(each));
  const features = lostOf("features");
  const axes = lostOf("axes");
  const isLost = (key: "colours" | "bitmaps" | "mathematics") => before[key] && !after[key];
  const lost = [
    ...(features.length === 0 ? [] : [`the features ${firstNames(features, 12)}`]),
    ...(axes.length === 0 ? [] : [`the variations ${firstNames(axes, 12)}`]),
    ...(lostOf("hinting").length === 0 ? [] : ["hinting"]),
    ...(isLost("colours") ? ["the colours of glyphs"] : []),
    ...(isLost("bitmaps") ? ["glyphs as bitmaps"] : []),
    ...(isLost("mathematics") ? ["the measures for mathematics"] : []),
    ...(before.fonts > 1 ? [`all but the first of ${before.fonts} fonts`] : []),
  ];
  if (lost.length > 0) note("STRUCTURE_DROPPED", `Left out: ${lost.join("; ")}.`);
  const about = [...lostOf("texts"), ...(lostOf("languages").length === 0 ? [] : ["names in other languages"])];
  if (about.length > 0) note("METADATA_DROPPED", `Left out: ${about.join(", ")}.`);
}
