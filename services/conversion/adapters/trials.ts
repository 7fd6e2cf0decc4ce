/** One small round trip through each part of a node that every conversion needs. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import type { Converter, Trials } from "../domain/converter.ts";
import type { Sandbox } from "../domain/sandbox.ts";

export function createTrials(sandbox: Sandbox, tell: Converter["tell"]): Trials {
  return {
    async scratch() {
      await using scratch = await sandbox.openScratch();
      await writeFile(join(scratch.path, "probe"), "probe");
    },
    async sandbox() {
      const { exitCode } = await sandbox.run({ program: "/bin/true", args: [] });
      if (exitCode !== 0) throw new FilemillError("UNAVAILABLE", "The sandbox no longer runs programs.");
    },
    async inspectors() {
      await using scratch = await sandbox.openScratch();
      const path = join(scratch.path, "probe");
      await writeFile(path, "probe\n");
      await tell(path, "probe.txt");
    },
  };
}
