import { readdirSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Reason } from "#gen/filemill/common/v1/error_pb.ts";
import { type Job, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { accountId, type Mill, openMill } from "./mill.ts";
import { endlessSvg, processesOf } from "./slow-work.ts";

let mill: Mill;
beforeEach(async () => {
  mill = await openMill({ CONVERSION_TIMEOUT_MS: 600_000 });
});
afterEach(() => mill[Symbol.asyncDispose]());

const endless = () => mill.submit(endlessSvg(), { from: "svg", to: "png" });
const isRunning = ({ state }: Job) => state === JobState.RUNNING;

async function picture(): Promise<Buffer> {
  return sharp({ create: { width: 20, height: 20, channels: 3, background: "red" } })
    .png()
    .toBuffer();
}

async function expectNothingLeft(...jobs: Job[]): Promise<void> {
  for (const { id } of jobs) await mill.jobs.deleteJob({ accountId, jobId: id });
  await expect.poll(() => mill.leftovers()).toEqual({ blobs: [], scratch: [] });
}

describe("a running job", () => {
  it("that is cancelled frees its slot at once for the next one", async () => {
    const jobs = [await endless(), await endless()];
    for (const job of jobs) await mill.watch(job, isRunning);
    const waiting = await mill.submit(await picture(), { from: "png", to: "webp" });
    expect((await mill.watch(waiting, () => true)).state).toBe(JobState.QUEUED);
    for (const { id } of jobs) await mill.jobs.cancelJob({ accountId, jobId: id });
    expect((await mill.watch(waiting)).state).toBe(JobState.DONE);
    await expectNothingLeft(...jobs, waiting);
  });

  it("is requeued if its worker's drain runs out of time", async () => {
    const job = await mill.watch(await endless(), isRunning);
    await mill.worker.drain(AbortSignal.abort());
    const requeued = await mill.watch(job, ({ state }) => state === JobState.QUEUED);
    expect(requeued).toMatchObject({ state: JobState.QUEUED, attempts: 1 });
    await using second = mill.createWorker();
    await second.start();
    const again = await mill.watch(job, ({ attempts, state }) => attempts === 2 && state === JobState.RUNNING);
    expect(again.state).toBe(JobState.RUNNING);
    await mill.jobs.cancelJob({ accountId, jobId: job.id });
    await expectNothingLeft(job);
  });

  it("delays its worker's drain until it ends", async () => {
    const job = await mill.submit(await picture(), { from: "png", to: "webp" });
    await mill.watch(job, ({ state }) => state !== JobState.QUEUED);
    await mill.worker.drain(new AbortController().signal);
    expect((await mill.watch(job, () => true)).state).toBe(JobState.DONE);
    expect(mill.worker.readiness()).toMatchObject({ ready: false, part: "engines", parts: ["engines"] });
    await expect.poll(async () => (await mill.catalogue.listManifests({})).manifests).toEqual([]);
  });

  it("that exceeds its time limit fails, and its process is replaced", async () => {
    await mill.worker.drain(AbortSignal.abort());
    await using impatient = mill.createWorker({ CONVERSION_TIMEOUT_MS: 1000 });
    await impatient.start();
    const failed = await mill.watch(await endless());
    expect(failed).toMatchObject({ state: JobState.FAILED, attempts: 1, error: { reason: Reason.CONVERSION_TIMEOUT } });
    const after = await mill.watch(await mill.submit(await picture(), { from: "png", to: "webp" }));
    expect(after.state).toBe(JobState.DONE);
    await expectNothingLeft(failed, after);
  });
});

describe("a worker that stops", () => {
  it("leaves no process and no scratch folder", async () => {
    await expect.poll(() => processesOf(mill.dataDir).length).toBeGreaterThan(0);
    const job = await mill.watch(await endless(), isRunning);
    await mill.worker[Symbol.asyncDispose]();
    await expect.poll(() => processesOf(mill.dataDir)).toEqual([]);
    expect(readdirSync(join(mill.dataDir, "scratch"))).toEqual([]);
    await mill.jobs.deleteJob({ accountId, jobId: job.id });
  });
});
