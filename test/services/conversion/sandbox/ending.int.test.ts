import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createBubblewrapLauncher } from "#services/conversion/sandbox/bubblewrap.ts";
import { seccompProgramOf } from "#services/conversion/sandbox/seccomp.ts";
import { describeSandboxes, openHost, processesWith, until } from "./host.ts";

const dyingParent = fileURLToPath(new URL("./dying-parent.ts", import.meta.url));

describeSandboxes("the %s sandbox", (mode) => {
  it("dies with its parent", async () => {
    const marker = `8${randomInt(1e8)}`;
    const parent = spawn(process.execPath, [dyingParent, marker, mode], { stdio: "ignore" });
    await until(() => processesWith(`sleep\0${marker}`).length >= 2);
    parent.kill("SIGKILL");
    await until(() => processesWith(`sleep\0${marker}`).length === 0);
  });

  it("kills running programs on disposal", async () => {
    await using host = await openHost(mode);
    const marker = `9${randomInt(1e8)}`;
    const running = host.sandbox.run({ program: "/bin/sleep", args: [marker] });
    await until(() => processesWith(`sleep\0${marker}`).length > 0);
    await host.sandbox[Symbol.asyncDispose]();
    expect((await running).killed).toBe("aborted");
    await expect(host.sandbox.run({ program: "/bin/true", args: [] })).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  it("leaves no folder of a program that was starting during disposal", async () => {
    await using host = await openHost(mode);
    const starting = host.sandbox.spawn({ program: "/bin/sleep", args: ["60"] });
    const refused = expect(starting).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await host.sandbox[Symbol.asyncDispose]();
    expect((await readdir(join(host.folder, "scratch"))).filter((name) => name.startsWith("s-"))).toEqual([]);
    await refused;
  });
});

it("kills every process that bubblewrap was starting, so that its run ends", async () => {
  const marker = `5${randomInt(1e8)}`;
  const launch = createBubblewrapLauncher(
    seccompProgramOf(process.arch, "local"),
    "/",
    "a mark",
  )({
    ...{ identity: { kind: "namespace" }, program: "/bin/true", args: [], env: {}, folder: undefined, readOnly: {} },
    limits: {
      wallMs: 0,
      cpuSeconds: 1,
      memoryBytes: 1,
      addressSpace: false,
      processes: 1,
      openFiles: 1,
      fileBytes: 1,
      folderBytes: 1,
      tmpBytes: 1,
      niceness: 0,
    },
  });
  // Stands for a process that has started two others, of which only the first was seen.
  const script = `sleep ${marker} & sleep ${marker} & wait`;
  const launcher: ChildProcess = spawn("/bin/sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  await until(() => processesWith(`sleep\0${marker}`).length === 2);
  launch.end(launcher);
  await once(launcher, "close");
  expect(processesWith(`sleep\0${marker}`)).toEqual([]);
});
