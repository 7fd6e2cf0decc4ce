/** The sandbox tests' view of the host. */
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe } from "vitest";
import { openLog } from "#kit/log.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { openDegradedSandbox, openSandbox } from "#services/conversion/sandbox/index.ts";
import { cloneIsOpen } from "#test/harness/clone.ts";
import { keepFound, putFound } from "#test/harness/found.ts";

export const isRoot = process.getuid?.() === 0;

/** Runs the same tests for both sandboxes. As root, the weaker one runs as a user who must be able to enter the clone. */
export function describeSandboxes(title: string, tests: (mode: Sandbox["mode"]) => void): void {
  for (const mode of ["full", "degraded"] as const) {
    describe.skipIf(mode === "degraded" && isRoot && !cloneIsOpen)(title.replace("%s", mode), () => tests(mode));
  }
}

export type Host = AsyncDisposable & { readonly folder: string; readonly sandbox: Sandbox & AsyncDisposable };

export async function openHost(mode: Sandbox["mode"]): Promise<Host> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-sandbox-"));
  await chmod(folder, 0o755);
  const held = `sandbox-held.${mode}`;
  await putFound(folder, [held]);
  const settings = {
    ...{ scratchDir: join(folder, "scratch"), firstUid: 61_800, memoryBytes: 512 * 2 ** 20, log: openLog("error") },
    provenFile: join(folder, "sandbox-held"),
  };
  const sandbox = mode === "full" ? await openSandbox({ ...settings, mode: "required" }) : await openDegradedSandbox(settings);
  await keepFound(folder, [held]);
  return {
    folder,
    sandbox,
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Host processes whose command line contains a marker. */
export function processesWith(marker: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "latin1").includes(marker);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Resolves when the condition holds. The test's own timeout limits the wait. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}
