/** Pictures, by sharp (libvips) in warm sandboxed processes. */
import { defineEngine } from "../domain/engine.ts";
import type { Sandbox } from "../domain/sandbox.ts";
import { openSharpChildren, sharpCommandOf } from "./sharp-children.ts";
import { sharpHops } from "./sharp-hops.ts";
import { probeMs } from "./tool-run.ts";

export const sharpEngine = defineEngine({
  id: "sharp",
  label: "sharp (libvips)",
  lane: "image",
  packages: [],
  badInput: [],
  probe: probeSharp,
  hops: sharpHops,
  takesFresh: true,
  open: (host) => openSharpChildren(host, host.slots + 1, true),
});

async function probeSharp(sandbox: Sandbox): Promise<string | undefined> {
  try {
    const end = await sandbox.run({ ...sharpCommandOf("--version"), limits: { addressSpace: false, wallMs: probeMs } });
    return end.exitCode === 0 ? end.stdout.trim() : undefined;
  } catch {
    return undefined;
  }
}
