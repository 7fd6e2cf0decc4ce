import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { treeOf } from "#services/conversion/sandbox/usage.ts";
import { describeSandboxes, type Host, openHost } from "./host.ts";

const talker = fileURLToPath(new URL("./talker.mjs", import.meta.url));

/** What the host's scheduler sees of each process in the tree: the session's niceness where it shares by sessions, else its own. */
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

describeSandboxes("the %s sandbox", (mode) => {
  it("lets others go first when it is told to, and nobody else", async () => {
    await using host = await openHost(mode);
    const niceness = async (limits: { niceness?: number }): Promise<string> =>
      (await host.sandbox.run({ program: "/usr/bin/nice", args: [], limits })).stdout.trim();
    expect(await niceness({ niceness: 7 })).toBe("7");
    expect(await niceness({})).toBe("0");
  });

  it("does so also where processors are shared by sessions", async () => {
    await using host = await openHost(mode);
    await using child = await startTalker(host, 6);
    await expect.poll(() => nicenessIn(child.pid), { timeout: 20_000 }).toSatisfy(every(6));
  });

  it("lets others go first once a job takes long, and not for the next one any more", async () => {
    await using host = await openHost(mode);
    await using child = await startTalker(host, 0);
    await child.request({ sleepMs: 0 }, { timeoutMs: 60_000 });
    expect(nicenessIn(child.pid)).toSatisfy(every(0));
    const long = child.request({ sleepMs: 5000 }, { timeoutMs: 60_000 });
    await expect.poll(() => nicenessIn(child.pid), { timeout: 20_000 }).toSatisfy(every(10));
    await long;
    await expect.poll(() => nicenessIn(child.pid), { timeout: 20_000 }).toSatisfy(every(0));
  });
});
