import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { Reason } from "#gen/filemill/common/v1/error_pb.ts";
import { type Job, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { opened } from "#test/harness/opened.ts";
import { hasEnded, openMill } from "./mill.ts";
import { processesOf } from "./slow-work.ts";

const mill = opened(() => openMill({ MEDIA_SLOTS: 1, OFFICE_SLOTS: 1 }));

/** Pids of this test's engines whose command line contains `name`. */
function pidsOf(name: string): number[] {
  return processesOf(mill.dataDir).flatMap((pid) => {
    try {
      const [program = "", ...args] = readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
      // Not the sandbox processes that wait for it.
      return !/bwrap|prlimit|setpriv/.test(program) && [program, ...args].join(" ").includes(name) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}

/** CPU time in hundredths of a second. */
function ticksOf(pid: number): number {
  try {
    const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ")
      .slice(11, 13)
      .map(Number);
    return user + system;
  } catch {
    return 0;
  }
}

/** The first engine that has used this many ticks since it was first seen. */
async function oneAtWork(name: string, ticks: number): Promise<number> {
  const begun = new Map<number, number>();
  for (;;) {
    for (const pid of pidsOf(name)) {
      const now = ticksOf(pid);
      if (!begun.has(pid)) begun.set(pid, now);
      if (now - (begun.get(pid) ?? now) >= ticks) return pid;
    }
    await sleep(10);
  }
}

/** Signals every working engine of this name for as long as `isWanted`. */
async function endAll(name: string, signal: NodeJS.Signals, isWanted: () => boolean): Promise<void> {
  while (isWanted()) {
    for (const pid of pidsOf(name)) if (ticksOf(pid) > 2) kill(pid, signal);
    await sleep(10);
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already ended.
  }
}

const codesOf = ({ notes }: Job): string[] => notes.map(({ code }) => code);

/** Several seconds of work for an encoder. */
async function longSound(): Promise<Uint8Array> {
  const path = join(mill.dataDir, "long.flac");
  const source = ["-f", "lavfi", "-i", "anoisesrc=d=150:c=pink:r=44100"];
  await promisify(execFile)("ffmpeg", ["-nostdin", "-y", "-v", "error", ...source, "-ac", "2", path]);
  return readFile(path);
}

function noise(): Promise<Buffer> {
  const gaussian = { type: "gaussian", mean: 128, sigma: 60 } as const;
  return sharp({ create: { width: 1500, height: 1000, channels: 3, background: "red", noise: gaussian } })
    .png()
    .toBuffer();
}

describe("an engine killed from outside during a job", () => {
  // ffmpeg treats SIGTERM, which systemd sends to all processes of a unit, and SIGINT as a request to stop early, and exits with a code.
  it.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)("gets the file once more (%s)", async (signal) => {
    const submitting = mill.submit(await longSound(), { from: "flac", to: "mp3" });
    kill(await oneAtWork("/usr/bin/ffmpeg", 5), signal);
    const done = await mill.watch(await submitting);
    expect(done.error).toBeUndefined();
    expect(done).toMatchObject({ state: JobState.DONE, attempts: 1 });
    expect(codesOf(done)).not.toContain("ALTERNATE_ROUTE");
  });

  it.each(["SIGKILL", "SIGSEGV"] as const)("that is a shared sharp child leaves the job to another child (%s)", async (signal) => {
    const submitting = mill.submit(await noise(), { from: "png", to: "avif" });
    kill(await oneAtWork("sharp-child.mjs", 20), signal);
    const done = await mill.watch(await submitting);
    expect(done.error).toBeUndefined();
    expect(done).toMatchObject({ state: JobState.DONE, attempts: 1 });
    expect(codesOf(done)).not.toContain("ALTERNATE_ROUTE");
  });

  it.each(["SIGKILL", "SIGSEGV"] as const)("that is a LibreOffice leaves the job to another one (%s)", async (signal) => {
    // An office that is killed while it starts costs an attempt.
    await mill.watch(await mill.submit("One paragraph.", { from: "txt", to: "pdf" }));
    const paragraphs = Array.from({ length: 40_000 }, (_, index) => `Paragraph ${index} of a long document.\n\n`).join("");
    const job = await mill.submit(paragraphs, { from: "txt", to: "pdf" });
    await mill.watch(job, ({ state }) => state === JobState.RUNNING);
    kill(await oneAtWork("soffice.bin", 30), signal);
    const done = await mill.watch(job);
    expect(done.error).toBeUndefined();
    expect(done).toMatchObject({ state: JobState.DONE, attempts: 1 });
    expect(codesOf(done)).not.toContain("ALTERNATE_ROUTE");
  });
});

describe("an engine that crashes on a file", () => {
  it("is followed by another route or attempt, and the file is not called damaged", async () => {
    const submitting = mill.submit(await longSound(), { from: "flac", to: "mp3" });
    kill(await oneAtWork("/usr/bin/ffmpeg", 5), "SIGSEGV");
    const done = await mill.watch(await submitting);
    expect(done.error).toBeUndefined();
    expect(done.state).toBe(JobState.DONE);
    expect(codesOf(done).includes("ALTERNATE_ROUTE") || done.attempts === 2).toBe(true);
  });

  it("on each route of an attempt gets another attempt", async () => {
    const job = await mill.submit(await longSound(), { from: "flac", to: "mp3" });
    let isSecond = false;
    const ending = endAll("/usr/bin/ffmpeg", "SIGABRT", () => !isSecond);
    const second = await mill.watch(job, ({ attempts }) => attempts === 2);
    isSecond = true;
    await ending;
    expect(second.error).toBeUndefined();
    expect(await mill.watch(job)).toMatchObject({ state: JobState.DONE });
  });

  it("every time fails the job after the maximum attempts, as our fault", async () => {
    const job = await mill.submit(await longSound(), { from: "flac", to: "mp3" });
    let isOver = false;
    const ending = endAll("/usr/bin/ffmpeg", "SIGSEGV", () => !isOver);
    const failed = await mill.watch(job, hasEnded);
    isOver = true;
    await ending;
    expect(failed).toMatchObject({ state: JobState.FAILED, attempts: 3, error: { reason: Reason.CONVERSION_FAILED } });
    expect(failed.error?.message).toMatch(/our fault/);
    await expect.poll(async () => (await mill.leftovers()).scratch).toEqual([]);
  });
});
