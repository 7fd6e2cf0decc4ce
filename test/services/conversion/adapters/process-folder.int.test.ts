import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openProcessFolder } from "#services/conversion/adapters/process-folder.ts";
import { removeFolder } from "#services/conversion/sandbox/scratch.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "filemill-folder-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const host = hostname().replace(/[^A-Za-z0-9-]/g, "-");
async function leave(name: string): Promise<string> {
  await mkdir(join(root, name));
  await writeFile(join(root, name, "left"), "x");
  return name;
}

describe("the folder of a process", () => {
  it("is gone when disposed, and so is what dead processes left", async () => {
    const ended = spawn("true");
    await once(ended, "exit");
    await leave(`${host}.${ended.pid}.12345.1`);
    const folder = await openProcessFolder(root, removeFolder);
    expect(await readdir(root)).toEqual([basename(folder.path)]);
    await writeFile(join(folder.path, "result"), "x");
    await folder[Symbol.asyncDispose]();
    expect(await readdir(root)).toEqual([]);
  });

  it("of a living process stays, also of this one", async () => {
    await using first = await openProcessFolder(root, removeFolder);
    await using second = await openProcessFolder(root, removeFolder);
    expect((await readdir(root)).toSorted()).toEqual([basename(first.path), basename(second.path)].toSorted());
  });

  it("whose pid a newer process has is abandoned", async () => {
    const stale = await leave(`${host}.${process.pid}.1.1`);
    await using _folder = await openProcessFolder(root, removeFolder);
    expect(await readdir(root)).not.toContain(stale);
  });

  it("of another host stays for a day", async () => {
    const fresh = await leave("elsewhere.1.1.1");
    const old = await leave("elsewhere.2.1.1");
    const longAgo = new Date(Date.now() - 25 * 3_600_000);
    await utimes(join(root, old), longAgo, longAgo);
    await using folder = await openProcessFolder(root, removeFolder);
    expect((await readdir(root)).toSorted()).toEqual([basename(folder.path), fresh].toSorted());
  });
});
