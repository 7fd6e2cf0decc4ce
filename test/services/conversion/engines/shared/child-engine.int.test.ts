import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { Hop } from "#services/conversion/domain/engine.ts";
import type { SandboxChild } from "#services/conversion/domain/sandbox.ts";
import { sharpEngine } from "#services/conversion/engines/pictures/sharp.ts";
import { openChildEngine } from "#services/conversion/engines/shared/child-engine.ts";
import { hopOf } from "#test/contract/engine.ts";
import { opened } from "#test/harness/opened.ts";
import { openHost } from "#test/services/conversion/sandbox/host.ts";

const host = opened(() => openHost("full"));
let input: string;
let hop: Hop;
let count = 0;
beforeAll(async () => {
  input = join(host.folder, "in.png");
  await writeFile(input, "x");
  hop = hopOf(sharpEngine, "png", "webp");
});

/** An engine with one child at a time, whose answer to the nth job is the script's output. */
async function openEngine(
  script: string,
  lives: Partial<Parameters<typeof openChildEngine>[2]> = {},
  more: { isOneOff?: true; slots?: number } = {},
  mayStart: (started: number) => Promise<void> = async () => undefined,
) {
  const children: SandboxChild[] = [];
  let started = 0;
  const answers = `$| = 1; while (<STDIN>) { if (/ready/) { print "1\\n"; next } $n++; ${script}; print qq({"ok":true,"data":"eA==","notes":[]}\\n) }`;
  const start = async (): Promise<SandboxChild> => {
    await mayStart(children.length);
    const limits = { wallMs: 0, addressSpace: false, memoryBytes: 2 ** 31 };
    const child = await host.sandbox.spawn({ program: "/usr/bin/perl", args: ["-e", answers], limits });
    children.push(child);
    return child;
  };
  const engine = await openChildEngine({ sandbox: host.sandbox, slots: 1, spare: 0, log: () => undefined, ...more }, start, {
    warm: 1,
    ...lives,
  });
  const convert = async (inARow = 1) => {
    let outputPath = "";
    for (let job = 0; job < inARow; job += 1) {
      count += 1;
      outputPath = join(host.folder, `out-${count}.webp`);
      const signal = new AbortController().signal;
      const rest = { note: () => undefined, progress: () => undefined, signal, timeoutMs: 120_000, options: {} };
      await engine.run({ hop, input: { path: input, format: "png", sizeBytes: 1 }, outputPath, ...rest });
    }
    // Anything started later is unrelated to this job.
    started = children.length;
    return readFile(outputPath, "utf8");
  };
  return { children, convert, startedAtLastAnswer: () => started, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
}

const left = (child: SandboxChild | undefined): string[] => (child === undefined ? [] : readdirSync(child.folder));

it("logs why a child failed to start", async () => {
  const lines: { event: string; fields: Readonly<Record<string, unknown>> | undefined }[] = [];
  const start = () => host.sandbox.spawn({ program: "/usr/bin/perl", args: ["-e", 'print STDERR "no such module\\n"; exit 3'] });
  const log = (event: string, fields?: Readonly<Record<string, unknown>>) => void lines.push({ event, fields });
  await using _engine = await openChildEngine({ sandbox: host.sandbox, slots: 1, spare: 0, log }, start, { warm: 1 });
  await expect
    .poll(() => lines[0])
    .toMatchObject({
      event: "child.start-failed",
      fields: { err: { kind: "lost" }, exitCode: 3, stderr: "no such module" },
    });
});

describe("a child that asks for more", () => {
  const asksOnce =
    'print qq({"wanted":["a","b"]}\n); $_ = <STDIN>; open(F, ">out"); /"given":"(.*?)"/; print F $1; close F; print qq({"ok":true,"notes":[]}\n); next';

  it("receives it and continues", async () => {
    const give = async (_task: unknown, wanted: readonly string[]) => wanted.join("+");
    await using engine = await openEngine(asksOnce, { give });
    expect([await engine.convert(), await engine.convert(), engine.children.length]).toEqual(["a+b", "a+b", 1]);
  });

  it("is replaced if it asks again, if nothing can be provided, or if providing it fails", async () => {
    const twice = 'print qq({"wanted":[]}\n); $_ = <STDIN>; print qq({"wanted":[]}\n); next';
    const fails = () => Promise.reject(new Error("Nothing there."));
    for (const [script, lives] of [
      [twice, { give: async () => "" }],
      [asksOnce, {}],
      [asksOnce, { give: fails }],
    ] as const) {
      await using engine = await openEngine(script, lives);
      await expect(engine.convert()).rejects.toThrow();
      await engine.children[0]?.ended;
    }
  });
});

describe("a warm child", () => {
  it("has an empty folder for the next job, even if it left files there", async () => {
    await using engine = await openEngine('open(F, ">out"); print F "secret"; close F; mkdir "in"; open(F, ">in/deep")');
    for (let job = 0; job < 3; job++) {
      expect(await engine.convert()).toBe("x");
      // The check runs after the answer, before the next job.
      await expect.poll(() => left(engine.children[0])).toEqual([]);
    }
    expect([engine.children.length, engine.children[0]?.alive]).toEqual([1, true]);
  });

  it("is the only one in a process that converts one file", async () => {
    await using warm = await openEngine("", { warm: 2 });
    await using alone = await openEngine("", { warm: 2 }, { isOneOff: true });
    expect(await alone.convert()).toBe("x");
    await expect.poll(() => warm.children.length).toBe(2);
    expect(alone.children).toHaveLength(1);
  });

  it("serves the next job too, even if another child may be started", async () => {
    await using engine = await openEngine("", {}, { slots: 2 });
    await engine.convert(5);
    expect(engine.children).toHaveLength(1);
  });

  it("is replaced if it leaves unexpected files, or files that cannot be removed", async () => {
    for (const script of ['open(F, ">elsewhere")', 'symlink "/", "x"', 'mkdir "a"; mkdir "a/b"; chmod 0, "a"']) {
      await using engine = await openEngine(script);
      expect(await engine.convert()).toBe("x");
      await engine.children[0]?.ended;
      expect(await engine.convert()).toBe("x");
      expect(engine.children.length).toBeGreaterThan(1);
    }
  });

  it("is replaced when its memory has grown, or after a thousand jobs", async () => {
    await using grown = await openEngine('$x = "a" x (700 * 2**20) if $n == 3');
    for (let job = 0; job < 10; job++) await grown.convert();
    await grown.children[0]?.ended;
    expect(await grown.convert()).toBe("x");
    await using hurried = await openEngine('$x = "a" x (700 * 2**20) if $n == 3');
    // It stayed as long as the next job was already waiting.
    await Promise.all(Array.from({ length: 11 }, () => hurried.convert()));
    await hurried.children[0]?.ended;
    await using worn = await openEngine("1");
    for (let job = 0; job < 999; job++) await worn.convert();
    expect([worn.children.length, worn.children[0]?.alive]).toEqual([1, true]);
    await worn.convert();
    await worn.children[0]?.ended;
    expect(await worn.convert()).toBe("x");
    expect(worn.children.length).toBe(2);
  });

  it("is replaced when its time is up, idle or busy, but not before its first job", async () => {
    await using idle = await openEngine("1", { useMs: 200 });
    await expect.poll(() => idle.children[0]?.alive).toBe(true);
    await sleep(300);
    expect(idle.children[0]?.alive).toBe(true);
    expect(await idle.convert()).toBe("x");
    await idle.children[0]?.ended;
    expect(await idle.convert()).toBe("x");
    expect(idle.startedAtLastAnswer()).toBe(2);
    await using busy = await openEngine("sleep 1 if $n == 2", { useMs: 200 });
    expect(await Promise.all([busy.convert(), busy.convert()])).toEqual(["x", "x"]);
    // While it is still working.
    expect(busy.startedAtLastAnswer()).toBe(2);
    await busy.children[0]?.ended;
    expect(await busy.convert()).toBe("x");
    expect(busy.startedAtLastAnswer()).toBe(2);
  });

  it("keeps serving when worn until its successor is ready", async () => {
    let mayStart = () => {};
    const allowed = new Promise<void>((resolve) => {
      mayStart = resolve;
    });
    await using engine = await openEngine("1", { jobs: 2 }, {}, (started) => (started === 0 ? Promise.resolve() : allowed));
    await engine.convert(5);
    expect([engine.children.length, engine.children[0]?.alive]).toEqual([1, true]);
    mayStart();
    await engine.children[0]?.ended;
    expect(await engine.convert()).toBe("x");
    expect(engine.startedAtLastAnswer()).toBe(2);
  });

  it("serves one job if so configured, and has a successor that ends when idle", async () => {
    await using engine = await openEngine("1", { warm: 0, jobs: 1, successorMs: 500 });
    expect(engine.children).toEqual([]);
    expect(await engine.convert()).toBe("x");
    await engine.children[0]?.ended;
    await expect.poll(() => engine.children.length).toBe(2);
    await engine.children[1]?.ended;
    // An unused child has none.
    await sleep(100);
    expect(engine.children.length).toBe(2);
    expect(await engine.convert()).toBe("x");
    expect(engine.startedAtLastAnswer()).toBe(3);
  });

  it("gets no job once it has died, even while its folder is still being removed", async () => {
    await using engine = await openEngine("1");
    expect(await engine.convert()).toBe("x");
    const [child] = engine.children;
    // The child has been given back by now.
    await new Promise((resolve) => setImmediate(resolve));
    process.kill(child?.pid ?? 0, "SIGKILL");
    while (child?.alive === true) await new Promise((resolve) => setImmediate(resolve));
    expect(await engine.convert()).toBe("x");
    expect(engine.startedAtLastAnswer()).toBe(2);
  });

  it("is replaced after an invalid answer", async () => {
    await using engine = await openEngine('if ($n == 2) { print qq({"ok":true}\\n); next }');
    await engine.convert();
    await expect(engine.convert()).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
    await engine.children[0]?.ended;
    expect(await engine.convert()).toBe("x");
  });
});
