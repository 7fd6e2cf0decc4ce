import { type ChildProcess, spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { endOrphans, markOf } from "#services/conversion/sandbox/orphans.ts";
import { describeSandboxes, processesWith, until } from "./host.ts";

const startingParent = fileURLToPath(new URL("./starting-parent.ts", import.meta.url));

function startMarked(owner: string): ChildProcess {
  return spawn("/bin/sleep", ["600"], { argv0: markOf(owner) });
}

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

describe("leftovers of a killed process", () => {
  it("are killed by their mark, and nothing else is", async () => {
    const owner = randomUUID();
    const [orphan, other, similar] = [startMarked(owner), startMarked(randomUUID()), startMarked(`${owner}0`)];
    const ended = once(orphan, "close");
    await endOrphans(owner);
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect([other, similar].map(isRunning)).toEqual([true, true]);
    other.kill();
    similar.kill();
  });

  it("are killed at once by a watcher, unless the process exits by itself", async () => {
    const owner = randomUUID();
    const script = `
      const { keepWatchOver } = await import("#services/conversion/sandbox/orphans.ts");
      const watch = keepWatchOver(process.argv[1], "KILL");
      process.stdout.write("ready");
      process.stdin.once("data", () => { watch[Symbol.dispose](); process.exit(); });
    `;
    const startWatched = async (): Promise<ChildProcess> => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script, owner], { stdio: ["pipe", "pipe", "inherit"] });
      await once(child.stdout, "data");
      return child;
    };
    const ending = await startWatched();
    const orphan = startMarked(owner);
    ending.stdin?.end("\n");
    await once(ending, "close");
    const killed = await startWatched();
    expect(isRunning(orphan)).toBe(true);
    const ended = once(orphan, "close");
    killed.kill("SIGKILL");
    expect(await ended).toEqual([null, "SIGKILL"]);
    // Stands for a launcher that was forked earlier and shows its mark only now.
    await sleep(500);
    expect(await once(startMarked(owner), "close")).toEqual([null, "SIGKILL"]);
  });
});

describeSandboxes("the %s sandbox", (mode) => {
  it("leaves nothing of a process that was killed while starting programs", async () => {
    const folder = await mkdtemp(join(tmpdir(), "filemill-orphans-"));
    await chmod(folder, 0o755);
    for (let round = 0; round < 6; round++) {
      const owner = randomUUID();
      const parent = spawn(process.execPath, [startingParent, owner, mode, join(folder, "scratch")], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(parent.stdout, "data");
      await until(() => processesWith(markOf(owner)).length > 0);
      await sleep(randomInt(200));
      parent.kill("SIGKILL");
      await until(() => processesWith(markOf(owner)).length === 0);
      // Nothing appears later either.
      await sleep(100);
      expect(processesWith(markOf(owner))).toEqual([]);
    }
    await rm(folder, { recursive: true, force: true });
  });
});
