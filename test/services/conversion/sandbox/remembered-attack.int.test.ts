import { chmod, mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openLog } from "#kit/log.ts";
import { openSandbox } from "#services/conversion/sandbox/index.ts";
import { openAttackMemory } from "#services/conversion/sandbox/remembered-attack.ts";

const firstUid = 61_800;

it("is attacked once for many commands, again when something has changed or a day has passed, and reads the host's own configuration", async () => {
  const folder = await mkdtemp(join(tmpdir(), "filemill-held-"));
  await chmod(folder, 0o755);
  const provenFile = join(folder, "held");
  const settings = { scratchDir: join(folder, "scratch"), firstUid, memoryBytes: 512 * 2 ** 20, log: openLog("error"), provenFile };
  const kept = `${provenFile}.full`;
  /** Whether it was attacked: what held is written down anew then. */
  const opened = async (): Promise<boolean> => {
    const before = await stat(kept).catch(() => undefined);
    await using sandbox = await openSandbox({ ...settings, mode: "required" });
    const { stdout } = await sandbox.run({
      program: "/bin/sh",
      args: ["-c", "cat /etc/fonts/fonts.conf; ls /etc | wc -l; ls /var; touch /etc/fonts/x"],
    });
    expect(stdout).toMatch(/^\d\ncache\nlib\n$/m);
    expect(stdout).toContain(await readFile("/etc/fonts/fonts.conf", "utf8"));
    return (await stat(kept)).ino !== before?.ino;
  };
  try {
    expect(await opened()).toBe(true);
    expect(await opened()).toBe(false);
    const state = await readFile(kept, "utf8");
    await writeFile(kept, "of another boot");
    expect(await opened()).toBe(true);
    expect(await readFile(kept, "utf8")).toBe(state);
    await utimes(kept, new Date(), new Date(Date.now() - 25 * 3_600_000));
    expect(openAttackMemory(provenFile, firstUid).hasHeld("full")).toBe(false);
    await utimes(kept, new Date(), new Date());
    expect(openAttackMemory(provenFile, firstUid).hasHeld("full")).toBe(true);
    // Other users, and the weaker sandbox, are another matter.
    expect(openAttackMemory(provenFile, firstUid + 1).hasHeld("full")).toBe(false);
    expect(openAttackMemory(provenFile, firstUid).hasHeld("degraded")).toBe(false);
  } finally {
    await rm(folder, { recursive: true });
  }
});
