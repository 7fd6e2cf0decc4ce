import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SettingError } from "#kit/config.ts";
import { openDataDir } from "#kit/data-dir.ts";
import { fillUp, mountMemory } from "#test/faults/mounts.ts";

const run = promisify(execFile);

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "filemill-data-dir-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const refusalOf = (path: string): Promise<unknown> => openDataDir(path).catch((error: unknown) => error);

describe("DATA_DIR", () => {
  it("is created with its parents and left empty by the write check", async () => {
    expect(await openDataDir(join(home, "a/b"))).toBe(join(home, "a/b"));
    expect(await readdir(join(home, "a/b"))).toEqual([]);
  });

  it("is rejected below a file", async () => {
    await writeFile(join(home, "file"), "");
    expect(String(await refusalOf(join(home, "file/data")))).toMatch(/DATA_DIR \S+ cannot be created/);
  });

  it.runIf(process.getuid?.() === 0)("on a read-only or full file system is rejected with a clear message", async () => {
    await using mount = await mountMemory(join(home, "disk"), 1);
    await fillUp(mount.path, 0);
    const full = await refusalOf(mount.path);
    await run("mount", ["-o", "remount,ro", mount.path]);
    const readOnly = await refusalOf(mount.path);
    for (const refusal of [full, readOnly]) expect(refusal).toBeInstanceOf(SettingError);
    expect(String(full)).toContain("has no space left");
    expect(String(readOnly)).toContain("is on a read-only file system");
  });
});
