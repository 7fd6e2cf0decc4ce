import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { SandboxLimits } from "#services/conversion/domain/sandbox.ts";
import { startWatchdog } from "#services/conversion/sandbox/watchdog.ts";
import { opened } from "#test/harness/opened.ts";
import { describeSandboxes, openHost, until } from "./host.ts";

const limits: SandboxLimits = {
  wallMs: 0,
  cpuSeconds: 600,
  memoryBytes: 200 * 2 ** 20,
  addressSpace: false,
  processes: 64,
  openFiles: 256,
  fileBytes: 2 ** 30,
  folderBytes: 2 ** 30,
  tmpBytes: 2 ** 20,
  niceness: 0,
};

it("checks memory while a folder walk hangs", async () => {
  const grow = "<STDIN>; my $x = 'x' x (400 * 2 ** 20); sleep 600";
  const child = spawn("/usr/bin/perl", ["-e", grow], { stdio: ["pipe", "ignore", "inherit"] });
  let walks = 0;
  // A disk that has stopped answering.
  const walk = (): Promise<number> => {
    walks += 1;
    return new Promise(() => undefined);
  };
  const reasons: string[] = [];
  const watchdog = startWatchdog(child.pid ?? 0, "/", limits, (reason) => void reasons.push(reason), walk);
  try {
    await until(() => walks > 0);
    child.stdin.end("\n");
    await until(() => reasons.length > 0);
    expect(reasons[0]).toBe("memory");
    // A late walk is not restarted before it has ended.
    expect(walks).toBe(1);
  } finally {
    watchdog.stop();
    child.kill("SIGKILL");
  }
});

it("does not postpone the folder walk forever while short jobs follow each other", async () => {
  const child = spawn("/usr/bin/sleep", ["600"]);
  let walks = 0;
  const watchdog = startWatchdog(
    child.pid ?? 0,
    "/",
    limits,
    () => undefined,
    async () => ++walks,
  );
  try {
    await until(() => walks > 0);
    watchdog.setBusy(false);
    // Until it waits like an idle one.
    const before = walks;
    await until(() => walks > before);
    for (const seen = walks; walks === seen; await sleep(50)) {
      watchdog.setBusy(true);
      watchdog.setBusy(false);
    }
  } finally {
    watchdog.stop();
    child.kill("SIGKILL");
  }
});

describeSandboxes("the %s sandbox", (mode) => {
  const host = opened(() => openHost(mode));

  it("kills a program that exceeds its memory while it creates files", async () => {
    await using scratch = await host.sandbox.openScratch();
    const script = "for my $n (1 .. 60_000) { open(F, '>', \"f$n\"); close F } my @x; push @x, 'x' x 2 ** 20 while @x < 400; sleep 600";
    const end = await host.sandbox.run({
      program: "/usr/bin/perl",
      args: ["-e", script],
      folder: scratch.path,
      limits: { memoryBytes: limits.memoryBytes, addressSpace: false, wallMs: 170_000 },
    });
    expect(end.killed).toBe("memory");
  });
});
