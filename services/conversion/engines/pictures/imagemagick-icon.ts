/** Windows icons and cursors whose transparency ImageMagick does not see. */
import { rm } from "node:fs/promises";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import { askForFile } from "../shared/ask-inspector.ts";

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
