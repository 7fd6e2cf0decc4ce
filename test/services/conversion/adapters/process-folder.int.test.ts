import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openProcessFolder } from "#services/conversion/adapters/process-folder.ts";
import { endOrphans, markOf } from "#services/conversion/sandbox/orphans.ts";
import { removeFolder } from "#services/conversion/sandbox/scratch.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "filemill-folder-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const estate = { endOrphans, removeFolder };

/** A process that opens a folder for a number of rounds, checks that it still has the last one, reports that and waits. */
const opener = `
  const { existsSync } = await import("node:fs");
  const { openProcessFolder } = await import("#services/conversion/adapters/process-folder.ts");
  const { endOrphans } = await import("#services/conversion/sandbox/orphans.ts");
  const { removeFolder } = await import("#services/conversion/sandbox/scratch.ts");
  let folder;
  for (let round = 0; round < Number(process.argv[2]); round++) {
    await folder?.[Symbol.asyncDispose]();
    folder = await openProcessFolder(process.argv[1], { endOrphans, removeFolder });
    if (!existsSync(folder.path)) throw new Error("the folder is gone");
  }
  process.stdout.write(folder.name);
  process.stdin.once("data", async () => {
    process.stdout.write(existsSync(folder.path) ? " kept" : " lost");
    await folder[Symbol.asyncDispose]();
    process.exit();
  });
`;

function startOpener(wrapper: readonly string[] = [], rounds = 1): ChildProcess {
  const [program = "", ...args] = [...wrapper, process.execPath, "--input-type=module", "-e", opener, root, String(rounds)];
  return spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
}

async function nameFrom(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("no output");
  const [name] = await once(child.stdout, "data");
  return String(name);
}

describe("a process folder", () => {
  it("is removed on disposal, and with its orphans at the next start if its process was killed", async () => {
    const killed = startOpener();
    const name = await nameFrom(killed);
    killed.kill("SIGKILL");
    await once(killed, "close");
    const orphan = spawn("/bin/sleep", ["600"], { argv0: markOf(name) });
    const other = spawn("/bin/sleep", ["600"], { argv0: markOf("another") });
    const orphanEnded = once(orphan, "close");
    const folder = await openProcessFolder(root, estate);
    expect(await orphanEnded).toEqual([null, "SIGKILL"]);
    expect(other.exitCode ?? other.signalCode).toBe(null);
    other.kill();
    expect(await readdir(root)).toEqual([folder.name]);
    await writeFile(join(folder.path, "result"), "x");
    await folder[Symbol.asyncDispose]();
    expect(await readdir(root)).toEqual([]);
  });

  it("is kept while its process is alive, including this one", async () => {
    await using first = await openProcessFolder(root, estate);
    await using second = await openProcessFolder(root, estate);
    expect((await readdir(root)).toSorted()).toEqual([basename(first.path), basename(second.path)].toSorted());
  });

  it.skipIf(process.platform !== "linux")("is kept by a process with the same host name that cannot see its owner", async () => {
    await using mine = await openProcessFolder(root, estate);
    const orphan = spawn("/bin/sleep", ["600"], { argv0: markOf(mine.name) });
    // As if in another container.
    const elsewhere = startOpener(["unshare", "--user", "--map-root-user", "--pid", "--net", "--fork", "--mount-proc"]);
    const theirs = await nameFrom(elsewhere);
    expect(existsSync(mine.path)).toBe(true);
    expect(orphan.exitCode ?? orphan.signalCode).toBe(null);
    orphan.kill();
    // And the reverse.
    await using _third = await openProcessFolder(root, estate);
    expect(existsSync(join(root, theirs))).toBe(true);
    const rest = text(elsewhere.stdout ?? process.stdin);
    elsewhere.stdin?.end("\n");
    expect(await rest).toBe(" kept");
  });

  it("is never removed by concurrent starts", async () => {
    const children = Array.from({ length: 4 }, () => startOpener([], 40));
    await Promise.all(children.map(nameFrom));
    const rest = children.map((child) => text(child.stdout ?? process.stdin));
    for (const child of children) child.stdin?.end("\n");
    expect(await Promise.all(rest)).toEqual(children.map(() => " kept"));
    expect(await readdir(root)).toEqual([]);
  });

  it("that was only partly removed is removed by the next start", async () => {
    const removed: string[] = [];
    {
      const folder = await openProcessFolder(root, { ...estate, removeFolder: async (path) => void removed.push(basename(path)) });
      for (const name of ["a", "z"]) await writeFile(join(folder.path, name), "x");
      await folder[Symbol.asyncDispose]();
      // The lock goes last, so that the leftovers of a process killed in between can be locked.
      expect(removed).toEqual(["a", "z", folder.name]);
    }
    await using next = await openProcessFolder(root, estate);
    expect(await readdir(root)).toEqual([next.name]);
  });

  it("that a killed process created but never locked is removed after a minute", async () => {
    const [fresh, old] = ["fresh", "old"];
    for (const name of [fresh, old]) await mkdir(join(root, name));
    const before = new Date(Date.now() - 61_000);
    await utimes(join(root, old), before, before);
    await using folder = await openProcessFolder(root, estate);
    expect((await readdir(root)).toSorted()).toEqual([folder.name, fresh].toSorted());
  });
});
