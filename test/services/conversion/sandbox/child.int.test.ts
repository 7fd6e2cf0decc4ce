import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { opened } from "#test/harness/opened.ts";
import { describeSandboxes, openHost } from "./host.ts";

describeSandboxes("a persistent child of the %s sandbox", (mode) => {
  const host = opened(() => openHost(mode));

  const echo =
    '$| = 1; while (<STDIN>) { exit 4 if /leave/; if (/hang/) { sleep 60 } elsif (/talk/) { print "not json\\n" } else { print qq({"got":$_}) =~ s/\\n//r, "\\n" } }';
  const spawnEcho = () => host.sandbox.spawn({ program: "/usr/bin/perl", args: ["-e", echo], limits: { wallMs: 0 } });

  it("answers one request at a time and removes its folder on disposal", async () => {
    const child = await spawnEcho();
    expect(await child.request({ a: "ä" }, { timeoutMs: 30_000 })).toEqual({ got: { a: "ä" } });
    const first = child.request(1, { timeoutMs: 30_000 });
    await expect(child.request(2, { timeoutMs: 30_000 })).rejects.toMatchObject({ code: "INTERNAL" });
    expect(await first).toEqual({ got: 1 });
    expect(await child.memoryBytes()).toBeGreaterThan(1_000_000);
    expect(child.alive).toBe(true);
    expect(await readdir(child.folder)).toEqual([]);
    await child[Symbol.asyncDispose]();
    expect([child.alive, existsSync(child.folder)]).toEqual([false, false]);
    await expect(child.request(3, { timeoutMs: 30_000 })).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  });

  it("is killed when a request exceeds its CPU time, but not while it sleeps", async () => {
    const work = '$| = 1; while (<STDIN>) { if (/spin/) { 1 while 1 } sleep 3; print "1\\n" }';
    const start = () => host.sandbox.spawn({ program: "/usr/bin/perl", args: ["-e", work], limits: { wallMs: 0, cpuSeconds: 600 } });
    await using sleeper = await start();
    expect(await sleeper.request("sleep", { timeoutMs: 60_000, cpuSeconds: 0.2 })).toBe(1);
    await using spinner = await start();
    const message = "The conversion needs far more work than is normal for files of this size.";
    await expect(spinner.request("spin", { timeoutMs: 200_000, cpuSeconds: 0.2 })).rejects.toMatchObject({
      code: "CONVERSION_TIMEOUT",
      message,
    });
    await spinner.ended;
  });

  it("is killed when a request writes more than allowed, and reports the CPU time of each request", async () => {
    const write =
      '$| = 1; while (<STDIN>) { if (/much/) { open(my $f, ">", "/job/out"); print $f "a" x 3_000_000; close $f; sleep 60 } print "1\\n" }';
    await using child = await host.sandbox.spawn({ program: "/usr/bin/perl", args: ["-e", write], limits: { wallMs: 0 } });
    const spent: number[] = [];
    const bounds = { timeoutMs: 60_000, outputBytes: 2_000_000, onSpent: (ms: number) => void spent.push(ms) };
    expect(await child.request("little", bounds)).toBe(1);
    await expect(child.request("much", bounds)).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX", limitBytes: 2_000_000 });
    expect(spent).toHaveLength(2);
    expect(Math.min(...spent)).toBeGreaterThan(0);
  });

  it("is no longer watched once it has answered, with or without onSpent", async () => {
    const set = vi.spyOn(globalThis, "setInterval");
    const cleared = vi.spyOn(globalThis, "clearInterval");
    onTestFinished(() => void vi.restoreAllMocks());
    await using child = await spawnEcho();
    const before = set.mock.results.length;
    await child.request(1, { timeoutMs: 30_000, cpuSeconds: 30, outputBytes: 1_000_000 });
    await child.request(2, { timeoutMs: 30_000, cpuSeconds: 30, outputBytes: 1_000_000, onSpent: () => undefined });
    const watches = set.mock.results.slice(before).map(({ value }) => value);
    expect(watches).toHaveLength(4);
    const ended = cleared.mock.calls.map(([timer]) => timer);
    expect(watches.filter((timer) => !ended.includes(timer)).length).toBe(0);
  });

  it("is killed if it grows between two jobs", async () => {
    const grow = '$| = 1; my $n = 120 * 2**20; while (<STDIN>) { print "1\\n"; sleep 1; $x = "a" x $n }';
    const limits = { wallMs: 0, memoryBytes: 100 * 2 ** 20, addressSpace: false };
    await using child = await host.sandbox.spawn({ program: "/usr/bin/perl", args: ["-e", grow], limits });
    expect(await child.request(0, { timeoutMs: 30_000 })).toBe(1);
    expect((await child.ended).killed).toBe("memory");
  });

  it("rejects with the cause if it exits, hangs, prints garbage, is killed or is cancelled", async () => {
    const expectations: readonly [string, string, number][] = [
      ["leave", "CONVERSION_FAILED", 30_000],
      ["talk", "CONVERSION_FAILED", 30_000],
      ["hang", "CONVERSION_TIMEOUT", 600],
    ];
    for (const [word, code, timeoutMs] of expectations) {
      await using child = await spawnEcho();
      await expect(child.request(word, { timeoutMs })).rejects.toMatchObject({ code });
      await child.ended;
      expect(child.alive).toBe(false);
    }
    await using killed = await spawnEcho();
    const waiting = killed.request("hang", { timeoutMs: 60_000 });
    setTimeout(() => killed.kill(), 100);
    await expect(waiting).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
    await using cancelled = await spawnEcho();
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    await expect(cancelled.request("hang", { timeoutMs: 60_000, signal: controller.signal })).rejects.toMatchObject({
      code: "JOB_CANCELLED",
    });
  });
});
