import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { isGone, nameProcess } from "#kit/process-identity.ts";
import { elsewhere, namedProcess, nameOfDead, partsOf, startNamed, startZombie } from "#test/harness/named-process.ts";

const isLinux = process.platform === "linux";
const isRoot = process.getuid?.() === 0;
describe("a process name", () => {
  it("is unique and valid as a broker subject and a bucket key", () => {
    const names = [nameProcess(), nameProcess()];
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[-_A-Za-z0-9]+$/);
  });

  it.each([
    ["empty", ""],
    ["not a process name", "w1"],
    ["a name from an older version", "host-0123456789ab"],
    ["half a name", nameProcess().split("-").slice(0, -1).join("-")],
  ])("is not that of a dead process if it is %s", (_what, name) => {
    expect(isGone(name)).toBe(false);
  });
});

describe.skipIf(!isLinux)("isGone", () => {
  it("is true for a killed process, but not for a running or paused one", async () => {
    await using other = await startNamed();
    const { name, pid = 0 } = other;
    expect(partsOf(name).pid).toBe(pid);
    expect(isGone(nameProcess())).toBe(false);
    expect(isGone(name)).toBe(false);
    process.kill(pid, "SIGSTOP");
    await expect.poll(() => readFile(`/proc/${pid}/stat`, "utf8")).toContain(") T ");
    expect(isGone(name)).toBe(false);
    await other.kill();
    expect(isGone(name)).toBe(true);
  });

  it("is true when the pid was reused", () => {
    const parts = nameProcess().split("-");
    const earlier = parts.with(-2, String(Number(parts.at(-2)) - 1)).join("-");
    expect(isGone(earlier)).toBe(true);
  });

  it("is true for a zombie", async () => {
    await using zombie = await startZombie();
    expect(isGone(zombie.name)).toBe(true);
  });

  it("is false for a process of another host, boot or container", async () => {
    const name = await nameOfDead();
    expect(isGone(elsewhere(name))).toBe(false);
    expect(isGone(name)).toBe(true);
  });

  it.skipIf(!isRoot).each([
    ["with a /proc of its own", ["--mount-proc"], /-[0-9a-f]{16}-1-\d+-[0-9a-f]{12}$/],
    ["that sees the /proc of its host", [], /^(?!.*-[0-9a-f]{16}-)/],
  ])("is false for a process in another PID namespace, %s", async (_what, options, form) => {
    await using inside = await startNamed(["unshare", "--pid", "--fork", "--kill-child", ...options, ...namedProcess]);
    expect(inside.name).toMatch(form);
    await inside.kill();
    expect(isGone(inside.name)).toBe(false);
  });
});
