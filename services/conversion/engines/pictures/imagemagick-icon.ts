/** Windows icons and cursors whose transparency ImageMagick does not see. */
import { rm } from "node:fs/promises";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import { askForFile } from "../shared/ask-inspector.ts";

/** One size is converted. */
export function noteSizes({ note }: Pick<HopTask, "note">, total: number, chosen = "the largest"): void {
  if (total > 1) note("PAGES_LEFT_OUT", `Only ${chosen} of ${total} pictures was converted.`);
}

type Drawn = { readonly width: number; readonly height: number; readonly colours: number };

export function largestOf<Scene extends Drawn>(task: HopTask, scenes: readonly Scene[]): Scene | undefined {
  noteSizes(task, scenes.length);
  return scenes.toSorted((a, b) => b.width * b.height - a.width * a.height || b.colours - a.colours)[0];
}

/** Runs `use` with a copy of the icon that is as transparent as its mask, if only the mask tells. */
export async function withMasks(inspector: Inspector, task: HopTask, use: (task: HopTask) => Promise<void>): Promise<void> {
  const path = `${task.outputPath}.masked`;
  try {
    const asked = { signal: task.signal, maxBytes: task.input.sizeBytes };
    const { isChanged } = await askForFile(inspector, "iconMasked", [task.input.path], path, asked);
    await use(isChanged ? { ...task, input: { ...task.input, path } } : task);
  } finally {
    await rm(path, { force: true });
  }
}
