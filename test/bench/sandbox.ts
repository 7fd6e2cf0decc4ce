import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openLog } from "#kit/log.ts";
import { openSandbox } from "#services/conversion/sandbox/index.ts";
import { compare } from "./measure.ts";

const firstUid = 61_900;

/** What one run of a tool costs more inside the sandbox than outside. */
export async function benchSandbox(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-bench-"));
  try {
    const settings = {
      scratchDir: join(folder, "scratch"),
      mode: "required" as const,
      firstUid,
      memoryBytes: 2 ** 31,
      log: openLog("warn"),
    };
    await using sandbox = await openSandbox(settings);
    await using scratch = await sandbox.openScratch();
    const inside = (): Promise<unknown> => sandbox.run({ program: "/usr/bin/true", args: [], folder: scratch.path });
    const outside = (): Promise<unknown> => promisify(execFile)("/usr/bin/true");
    const pair = await compare(60, inside, outside);
    return [
      `sandbox: a run costs ${pair.ours.toFixed(1)} ms inside, ${pair.bare.toFixed(1)} ms outside: ${(pair.ours - pair.bare).toFixed(1)} ms more (budget 10)`,
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
