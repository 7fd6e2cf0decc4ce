/** Drawings in a PDF as PNG, by poppler: what our reader of PDFs finds and cannot draw. */
import { readFile, rm, stat } from "node:fs/promises";
import type { EngineHost, HopTask, OpenEngine } from "#services/conversion/domain/engine.ts";
import { inputInside, openToolSession } from "../shared/tool-run.ts";
import { pointsPerInch } from "./poppler-pages.ts";

const dpi = 150;
const margin = 1;
/** In one file; and of their pictures together. */
const mostDrawings = 60;
const mostBytes = 40_000_000;

type Placed = {
  readonly page: number;
  readonly box: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };
};

/** As the reader takes them: JSON with a PNG for each, as many as there is room for. Undefined where there are none. */
export async function drawingsOf({ sandbox }: Pick<EngineHost, "sandbox">, reader: OpenEngine, task: HopTask): Promise<string | undefined> {
  const placed = ((await reader.parts?.(task)) ?? []).slice(0, mostDrawings).map((line) => JSON.parse(line) as Placed);
  if (placed.length === 0) return undefined;
  await using session = await openToolSession(sandbox, task);
  const drawn: (Placed & { readonly png: string })[] = [];
  let left = mostBytes;
  for (const [index, { page, box }] of placed.entries()) {
    const pixels = (points: number) => Math.round((points * dpi) / pointsPerInch);
    const [x, y] = [pixels(box.left), pixels(box.top)];
    const size = [pixels(box.right) - x + margin, pixels(box.bottom) - y + margin].map(String);
    const place = ["-x", String(x), "-y", String(y), "-W", size[0] ?? "", "-H", size[1] ?? ""];
    const pages = ["-f", String(page), "-l", String(page), "-singlefile"];
    const args = [...pages, "-cropbox", "-r", String(dpi), ...place, "-png", inputInside, `/job/drawing-${index}`];
    const end = await session.run({ program: "/usr/bin/pdftoppm", args });
    if (end.exitCode !== 0) continue;
    const path = `${task.outputPath}.drawing`;
    try {
      await session.adopt(`drawing-${index}.png`, path);
      left -= (await stat(path)).size;
      if (left < 0) break;
      drawn.push({ page, box, png: (await readFile(path)).toString("base64") });
    } finally {
      await rm(path, { force: true });
    }
  }
  return JSON.stringify(drawn);
}
