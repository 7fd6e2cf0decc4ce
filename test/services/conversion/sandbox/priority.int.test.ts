import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
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
    const nice = (limits: { niceness?: number }) => host.sandbox.run({ program: "/usr/bin/nice", args: [], limits });
    expect((await nice({ niceness: 12 })).stdout).toBe("12\n");
    const { stdout, elapsedMs } = await nice({});
    // Whoever takes a second, as on a machine that does something else, makes room without being told.
    expect(elapsedMs < 1000 ? ["0\n"] : ["0\n", "10\n"]).toContain(stdout);
  });

  it("does so also where processors are shared by sessions", async () => {
    await using host = await openHost(mode);
    // More than what takes long is given anyway: that begins a second after the start.
    await using child = await startTalker(host, 12);
    await expect.poll(() => nicenessIn(child.pid)).toSatisfy(every(12));
  });

  it("lets others go first once a job takes long, and not for the next one any more", async () => {
    await using host = await openHost(mode);
    await using child = await startTalker(host, 0);
    const ask = (awaited: string) => child.request({ awaited }, { timeoutMs: 120_000 });
    await ask(".");
    // It may have taken long to start.
    await expect.poll(() => nicenessIn(child.pid)).toSatisfy(every(0));
    const long = ask("go");
    await expect.poll(() => nicenessIn(child.pid)).toSatisfy(every(10));
    await writeFile(join(child.folder, "go"), "");
    await long;
    await expect.poll(() => nicenessIn(child.pid)).toSatisfy(every(0));
  });
});
