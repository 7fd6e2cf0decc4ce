/** Pictures, by sharp (libvips) in warm sandboxed processes. */
import { defineEngine, type EngineHost, type OpenEngine } from "#services/conversion/domain/engine.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { probeMs } from "../shared/tool-run.ts";
import { isLossless, rewriteJpeg } from "./jpegtran.ts";
import { openSharpChildren, sharpCommandOf } from "./sharp-children.ts";
import { sharpHops } from "./sharp-hops.ts";
import { undrawnNotes } from "./svg-notes.ts";

export const sharpEngine = defineEngine({
  id: "sharp",
  label: "sharp (libvips)",
  lane: "image",
  packages: [],
  badInput: [],
  probe: probeSharp,
  hops: sharpHops,
  open: openWithJpegtran,
});

async function openWithJpegtran(host: EngineHost): Promise<OpenEngine> {
  const pictures = await openSharpChildren(host, 1, true);
  const noteUndrawn = undrawnNotes(host, ["gif", "webp", "avif", "tiff", "bmp"]);
  return {
    ...pictures,
    async run(task) {
      if (isLossless(task)) return await rewriteJpeg(host.sandbox, host.inspector, task);
      await pictures.run(task);
      if (task.hop.from === "svg") await noteUndrawn(task);
    },
    [Symbol.asyncDispose]: () => pictures[Symbol.asyncDispose](),
  };
}

async function probeSharp(sandbox: Sandbox): Promise<string | undefined> {
  try {
    const end = await sandbox.run({ ...sharpCommandOf("--version"), limits: { addressSpace: false, wallMs: probeMs } });
    return end.exitCode === 0 ? end.stdout.trim() : undefined;
  } catch {
    return undefined;
  }
}
