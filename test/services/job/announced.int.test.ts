/** Ends that are told to who waits for them before they are written (decision 30). */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Blob } from "#gen/filemill/common/v1/blob_pb.ts";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { jobRecordCodec } from "#kit/nats/job-record-codec.ts";
import { type JobBench, openJobBench } from "./job-harness.ts";

/** However busy the machine is, the end comes soon. */
const patient = { cadence: { soonMs: 60_000 } };

type Ending = { readonly accepted: Promise<boolean>; readonly blob: Blob };

/** Creates a job whose attempt ends, while the broker stands still, between the write of the record and that of the end. */
async function createBesideStandstill(bench: JobBench) {
  const pid = Number(await readFile(join(bench.testBroker.dataDir, "nats", "server.pid"), "utf8"));
  const request = await bench.request();
  const blob = await bench.blob("out");
  const ending = Promise.withResolvers<Ending>();
  const consumer = await bench.queue.consume("image", 1, async ({ jobId }) => {
    await bench.leases.claimAttempt({ jobId, lane: "image", worker: "w1", leaseMs: 30_000, early: true });
    while ((await bench.jobs.listJobs({ accountId: "acc" })).jobs.length === 0) await sleep(1);
    process.kill(pid, "SIGSTOP");
    await sleep(5);
    const outcome = { case: "result" as const, value: { blob } };
    const finishing = bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome });
    ending.resolve({ accepted: finishing.then(({ accepted }) => accepted), blob });
    await finishing;
  });
  const { job } = await bench.jobs.createJob(request);
  if (job === undefined) throw new Error("no job");
  return {
    job,
    ...(await ending.promise),
    goOn: () => process.kill(pid, "SIGCONT"),
    async [Symbol.asyncDispose]() {
      process.kill(pid, "SIGCONT");
      await consumer[Symbol.asyncDispose]();
    },
  };
}

describe("an end that is not written yet", () => {
  it("is told to who waits, seen by everybody who asks here, and written when that can be", async () => {
    await using bench = await openJobBench(patient);
    await using ended = await createBesideStandstill(bench);
    const { job, blob } = ended;
    expect(job).toMatchObject({ state: JobState.DONE, attempts: 1, result: { id: blob.id } });
    const { id } = job;
    expect((await bench.jobs.getJob({ accountId: "acc", jobId: id })).job).toEqual(job);
    expect((await bench.jobs.listJobs({ accountId: "acc", state: JobState.DONE })).jobs).toEqual([job]);
    expect((await bench.jobs.listJobs({ accountId: "acc", state: JobState.RUNNING })).jobs).toEqual([]);
    const watched: unknown[] = [];
    for await (const { job: next } of bench.jobs.watchJob({ accountId: "acc", jobId: id })) watched.push(next);
    expect(watched).toEqual([job]);
    expect(await bench.jobs.getLoad({ accountId: "acc" })).toMatchObject({ accountUnfinished: 0, totalUnfinished: 0 });
    ended.goOn();
    expect(await ended.accepted).toBe(true);
    expect((await bench.jobs.getJob({ accountId: "acc", jobId: id })).job).toEqual(job);
    const record = await (await bench.broker.bucket("jobs", jobRecordCodec)).get(id);
    expect(record?.value.job).toMatchObject({ state: JobState.DONE, finishedAt: job.finishedAt, result: { id: blob.id } });
    await expect.poll(() => bench.blobs.has(job.input?.id ?? "")).toBe(false);
    expect(await bench.blobs.has(blob.id)).toBe(true);
  });

  it.each(["cancelJob", "deleteJob"] as const)("comes before %s", async (method) => {
    await using bench = await openJobBench(patient);
    await using ended = await createBesideStandstill(bench);
    const { job, blob } = ended;
    const asked = bench.jobs[method]({ accountId: "acc", jobId: job.id });
    await sleep(50);
    ended.goOn();
    await asked;
    expect(await ended.accepted).toBe(true);
    if (method === "cancelJob") expect((await bench.jobs.getJob({ accountId: "acc", jobId: job.id })).job).toEqual(job);
    else await expect.poll(() => bench.blobs.has(blob.id)).toBe(false);
  });
});
