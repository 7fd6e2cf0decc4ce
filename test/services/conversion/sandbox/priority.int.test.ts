import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { getPriority, setPriority } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { treeOf } from "#services/conversion/sandbox/usage.ts";
import { describeSandboxes, type Host, openHost } from "./host.ts";

const talker = fileURLToPath(new URL("./talker.mjs", import.meta.url));

/** What the scheduler sees of each process in the tree: the session's niceness if it groups by session, otherwise its own. */
function nicenessIn(pid: number): number[] {
  return treeOf(pid).map((member) => {
    const group = `/proc/${member}/autogroup`;
    const stat = readFileSync(`/proc/${member}/stat`, "latin1");
    const own = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
    return existsSync(group) ? Number(/nice (-?\d+)/.exec(readFileSync(group, "latin1"))?.[1]) : own;
  });
}

const startTalker = (host: Host, niceness: number) =>
  host.sandbox.spawn({
    program: "/opt/node",
    args: ["/opt/talker.mjs"],
    readOnly: { [process.execPath]: "/opt/node", [talker]: "/opt/talker.mjs" },
    limits: { wallMs: 0, cpuSeconds: 3600, addressSpace: false, niceness },
  });

const every = (niceness: number) => (found: readonly number[]) => found.length > 1 && found.every((each) => each === niceness);

/** The tests may have a low priority themselves. */
const own = Math.max(0, getPriority());

describeSandboxes("the %s sandbox", (mode) => {
  it("runs at a lower priority only if asked to", async () => {
    await using host = await openHost(mode);
    const nice = (limits: { niceness?: number }) => host.sandbox.run({ program: "/usr/bin/nice", args: [], limits });
    expect((await nice({ niceness: 12 })).stdout).toBe("12\n");
    const startedAt = performance.now();
    const { stdout } = await nice({});
    // A program that takes a second, as on a busy machine, is deprioritised anyway.
    expect(performance.now() - startedAt < 1000 ? [`${own}\n`] : [`${own}\n`, "10\n"]).toContain(stdout);
  });

  it("works under a low-priority service and never raises its priority", async () => {
    await using host = await openHost(mode);
    const mine = getPriority();
    setPriority(15);
    try {
      const { stdout } = await host.sandbox.run({ program: "/usr/bin/nice", args: [], limits: { niceness: 5 } });
      expect(stdout).toBe("15\n");
      await using child = await startTalker(host, 5);
      await expect.poll(() => nicenessIn(child.pid)).toSatisfy(every(15));
    } finally {
      // Only root can raise it again.
      if (process.getuid?.() === 0) setPriority(mine);
    }
  });

  it("lowers the priority under session-based scheduling too", async () => {
    await using host = await openHost(mode);
    // More than long-running programs get anyway after a second.
    await using child = await startTalker(host, 12);
    await expect.poll(() => nicenessIn(child.pid)).toSatisfy(every(12));
  });

  it("lowers the priority of a long job and restores it for the next one", async () => {
    await using host = await openHost(mode);
    await using child = await startTalker(host, 0);
    const ask = (awaited: string) => child.request({ awaited }, { timeoutMs: 120_000 });
    await ask(".");
    // It may have taken long to start.
    await expect.poll(() => nicenessIn(child.pid)).toSatisfy(every(own));
    const long = ask("go");
    await expect.poll(() => nicenessIn(child.pid)).toSatisfy(every(10));
    await writeFile(join(child.folder, "go"), "");
    await long;
    await expect.poll(() => nicenessIn(child.pid)).toSatisfy(every(own));
  });
});
