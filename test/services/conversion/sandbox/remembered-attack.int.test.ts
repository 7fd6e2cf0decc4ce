import { chmod, mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openLog } from "#kit/log.ts";
import { openSandbox } from "#services/conversion/sandbox/index.ts";
import { openAttackMemory } from "#services/conversion/sandbox/remembered-attack.ts";

const firstUid = 61_800;

it("attacks the sandbox only once for many starts, and again after a change or a day", async () => {
  const folder = await mkdtemp(join(tmpdir(), "filemill-held-"));
  await chmod(folder, 0o755);
  const provenFile = join(folder, "held");
  const settings = { scratchDir: join(folder, "scratch"), firstUid, memoryBytes: 512 * 2 ** 20, log: openLog("error"), provenFile };
  const oneOff = { ...settings, mode: "required", isOneOff: true } as const;
  const kept = `${provenFile}.full`;
  /** Whether the attack ran, in which case the outcome is recorded again. */
  const opened = async (): Promise<boolean> => {
    const before = await stat(kept).catch(() => undefined);
    await using sandbox = await openSandbox(oneOff);
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
    await using recent = await openSandbox(oneOff);
    expect(recent.heldLately).toBe(true);
    await utimes(kept, new Date(), new Date(Date.now() - 11 * 60_000));
    const before = await stat(kept);
    {
      await using owing = await openSandbox(oneOff);
      expect([owing.heldLately, (await stat(kept)).ino]).toEqual([false, before.ino]);
      await owing.attackIfOwed();
      expect((await stat(kept)).ino).not.toBe(before.ino);
      const after = await stat(kept);
      await owing.attackIfOwed();
      expect((await stat(kept)).ino).toBe(after.ino);
      await using _anyway = await openSandbox({ ...oneOff, attacksAnyway: true });
      expect((await stat(kept)).ino).not.toBe(after.ino);
    }
    // Other users, and the weaker sandbox, are recorded separately.
    expect(openAttackMemory(provenFile, firstUid + 1).hasHeld("full")).toBe(false);
    expect(openAttackMemory(provenFile, firstUid).hasHeld("degraded")).toBe(false);
    await using disturbed = await openSandbox(oneOff);
    await rm(settings.scratchDir, { recursive: true });
    await expect(disturbed.attackIfOwed()).rejects.toThrow();
    expect(openAttackMemory(provenFile, firstUid).hasHeld("full")).toBe(false);
  } finally {
    await rm(folder, { recursive: true });
  }
});
