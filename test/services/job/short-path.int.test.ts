/** Jobs that only one process knows until they end or take too long (decision 68). */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { JobState, type Lease, ClaimAttemptResponse_Outcome as Outcome } from "#gen/filemill/job/v1/job_pb.ts";
import { type JobBench, openJobBench } from "./job-harness.ts";
import { create, finish, jobOf, openWorker, recordOf } from "./short-path-worker.ts";

/** Long enough that the job ends first even on a busy machine, unless it never ends. */
const patient = { cadence: { unwrittenMs: 60_000 } };
const impatient = { cadence: { unwrittenMs: 20 } };

async function writeInput(bench: JobBench) {
  const bytes = async function* () {
    yield Buffer.from("input");
  };
  return await bench.blobs.write(bytes());
}

describe("a job that ends soon", () => {
  it("is written once, when it ends, and publishes no message", async () => {
    await using bench = await openJobBench(patient);
    const input = await writeInput(bench);
    await using worker = await openWorker(bench, { work: (lease) => finish(bench, lease) });
    const job = await create(bench, { input });
    expect(job).toMatchObject({ state: JobState.DONE, attempts: 1 });
    expect(worker.taken).toMatchObject([{ delivery: { jobId: "" }, outcome: Outcome.LEASED, lease: { jobId: job.id, attempt: 1 } }]);
    expect(await recordOf(bench, job.id)).toMatchObject({ revision: 1, value: { job: { state: JobState.DONE } } });
    await expect.poll(() => bench.blobs.has(input.id)).toBe(false);
    expect(await bench.queue.waiting("image")).toBe(0);
    const metrics = await bench.metrics.metrics();
    for (const each of ["queued", "running", "done"]) expect(metrics).toContain(`filemill_jobs_total{state="${each}",lane="image"} 1`);
  });

  it("is visible to no one until it ends, but counts toward the load", async () => {
    await using bench = await openJobBench(patient);
    await using peer = await bench.peer();
    const begun = Promise.withResolvers<Lease>();
    const goOn = Promise.withResolvers<void>();
    const work = async (lease: Lease) => {
      begun.resolve(lease);
      await goOn.promise;
      await finish(bench, lease);
    };
    await using _worker = await openWorker(bench, { work });
    const creating = create(bench);
    const { jobId } = await begun.promise;
    for (const each of [bench, peer]) expect((await each.jobs.listJobs({ accountId: "acc" })).jobs).toEqual([]);
    expect(await recordOf(bench, jobId)).toBeUndefined();
    expect(await bench.jobs.getLoad({ accountId: "acc" })).toMatchObject({
      accountUnfinished: 1,
      totalUnfinished: 1,
      accountStoredBytes: 5n,
    });
    goOn.resolve();
    expect(await creating).toMatchObject({ id: jobId, state: JobState.DONE });
    expect((await bench.jobs.listJobs({ accountId: "acc" })).jobs).toMatchObject([{ id: jobId }]);
    expect(await bench.jobs.getLoad({ accountId: "acc" })).toMatchObject({ accountUnfinished: 0, totalUnfinished: 0 });
  });

  it("is answered only once its end is stored", async () => {
    await using bench = await openJobBench(patient);
    const pid = Number(await readFile(join(bench.testBroker.dataDir, "nats", "server.pid"), "utf8"));
    const ending = Promise.withResolvers<void>();
    const work = async (lease: Lease) => {
      process.kill(pid, "SIGSTOP");
      await sleep(20);
      const finished = finish(bench, lease);
      ending.resolve();
      await finished;
    };
    await using _worker = await openWorker(bench, { work });
    let answered = false;
    const creating = create(bench).finally(() => {
      answered = true;
    });
    try {
      await ending.promise;
      await sleep(200);
      expect(answered).toBe(false);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    const { id, state } = await creating;
    expect(state).toBe(JobState.DONE);
    expect((await recordOf(bench, id))?.value.job?.state).toBe(JobState.DONE);
  });

  it("waits for a slot of this process without a message", async () => {
    await using bench = await openJobBench(patient);
    let busy = 0;
    const work = async (lease: Lease) => {
      busy += 1;
      expect(busy).toBeLessThanOrEqual(2);
      await finish(bench, lease);
      busy -= 1;
    };
    await using worker = await openWorker(bench, { slots: 2, work });
    const jobs = await Promise.all(Array.from({ length: 12 }, () => create(bench)));
    expect(jobs.every(({ state, attempts }) => state === JobState.DONE && attempts === 1)).toBe(true);
    expect(worker.taken.map(({ delivery }) => delivery.jobId)).toEqual(Array.from({ length: 12 }, () => ""));
  });

  it("is deleted with its account's jobs", async () => {
    await using bench = await openJobBench(patient);
    const begun = Promise.withResolvers<Lease>();
    await using _worker = await openWorker(bench, { work: async (lease) => begun.resolve(lease) });
    const creating = create(bench);
    const lease = await begun.promise;
    expect(await bench.jobs.deleteJobs({ accountId: "acc" })).toMatchObject({ deleted: 1 });
    await creating;
    const { accepted, blob } = await finish(bench, lease);
    expect(accepted).toBe(false);
    await expect.poll(() => bench.blobs.has(blob.id)).toBe(false);
  });
});

describe("a job that takes longer", () => {
  it("is recorded while it runs", async () => {
    await using bench = await openJobBench(impatient);
    await using worker = await openWorker(bench);
    const input = await writeInput(bench);
    const { id, state } = await create(bench, { input });
    expect(state).toBe(JobState.RUNNING);
    expect((await recordOf(bench, id))?.value).toMatchObject({ worker: "w1", job: { state: JobState.RUNNING } });
    expect(await finish(bench, { jobId: id, attempt: 1 })).toMatchObject({ accepted: true });
    expect(await jobOf(bench, id)).toMatchObject({ state: JobState.DONE, attempts: 1 });
    await expect.poll(() => bench.blobs.has(input.id)).toBe(false);
    expect(worker.taken).toHaveLength(1);
  });

  it.each([
    ["no slot becomes free", 1],
    ["no worker here takes such jobs", 0],
  ])("is queued with a message when %s", async (_why, workers) => {
    await using bench = await openJobBench(workers === 0 ? patient : impatient);
    await using stack = new AsyncDisposableStack();
    if (workers > 0) {
      stack.use(await openWorker(bench));
      await create(bench);
    }
    const input = await writeInput(bench);
    const { id, state } = await create(bench, { input });
    expect(state).toBe(JobState.QUEUED);
    await expect.poll(() => bench.queue.has("image", id)).toBe(true);
    await stack.disposeAsync();
    await using _next = await openWorker(bench, { work: (lease) => finish(bench, lease) });
    await expect.poll(async () => (await jobOf(bench, id))?.state).toBe(JobState.DONE);
  });

  it("is woken again if its worker and process are lost, and a late result is rejected", async () => {
    await using bench = await openJobBench({ cadence: { unwrittenMs: 20, reconcileMs: 20 } });
    await using worker = await openWorker(bench);
    const { id } = await create(bench);
    bench.clock.advance(20_000);
    await sleep(100);
    expect(await bench.queue.has("image", id)).toBe(false);
    bench.clock.advance(10_001);
    await expect.poll(() => bench.queue.has("image", id)).toBe(true);
    expect((await bench.leases.claimAttempt({ jobId: id, worker: "w2", leaseMs: 30_000 })).lease?.attempt).toBe(2);
    expect(await finish(bench, { jobId: id, attempt: 1 })).toMatchObject({ accepted: false });
    expect(await finish(bench, { jobId: id, attempt: 2 }, "w2")).toMatchObject({ accepted: true });
    expect(worker.taken).toHaveLength(1);
  });

  it("is recovered at the next service start", async () => {
    await using bench = await openJobBench(impatient);
    await using _worker = await openWorker(bench);
    const { id } = await create(bench);
    bench.clock.advance(30_001);
    await using _peer = await bench.peer();
    await expect.poll(() => bench.queue.has("image", id)).toBe(true);
  });

  it("can be cancelled", async () => {
    await using bench = await openJobBench(impatient);
    await using _worker = await openWorker(bench);
    const { id } = await create(bench);
    await bench.jobs.cancelJob({ accountId: "acc", jobId: id });
    expect(await bench.leases.heartbeat({ jobId: id, attempt: 1, worker: "w1", leaseMs: 30_000 })).toMatchObject({ cancelled: true });
    expect(await finish(bench, { jobId: id, attempt: 1 })).toMatchObject({ accepted: false });
  });
});

describe("a failing attempt on the short path", () => {
  it.each([false, true])("fails the job, or queues it with a message if it is retryable: %s", async (retryable) => {
    await using bench = await openJobBench(patient);
    const failure = { case: "failure" as const, value: { retryable } };
    const fail = ({ jobId }: Lease) => bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome: failure });
    const gate = Promise.withResolvers<void>();
    let count = 0;
    const work = async (lease: Lease) => {
      count += 1;
      await (count === 1 ? fail(lease) : gate.promise);
    };
    await using _worker = await openWorker(bench, { work });
    const { id, state } = await create(bench, { input: await writeInput(bench) });
    expect(state).toBe(retryable ? JobState.QUEUED : JobState.FAILED);
    expect((await recordOf(bench, id))?.value.job?.state).toBe(state);
    if (retryable) await expect.poll(() => bench.queue.has("image", id)).toBe(true);
    gate.resolve();
  });

  it("leaves nothing behind if the job could not be recorded", async () => {
    await using bench = await openJobBench();
    const ended = Promise.withResolvers<{ accepted: boolean; blob: { id: string } }>();
    const work = async (lease: Lease) => {
      // A worker reports an end until it is answered.
      for (;;) {
        const end = await finish(bench, lease).catch(() => undefined);
        if (end !== undefined) return ended.resolve(end);
        await sleep(5);
      }
    };
    await using _worker = await openWorker(bench, { work });
    // Larger than the broker accepts.
    await expect(create(bench, { sourceName: "x".repeat(2_000_000) })).rejects.toThrow();
    const { accepted, blob } = await ended.promise;
    expect(accepted).toBe(false);
    await expect.poll(() => bench.blobs.has(blob.id)).toBe(false);
    expect(await bench.jobs.getLoad({ accountId: "acc" })).toMatchObject({ totalUnfinished: 0, accountStoredBytes: 0n });
  });
});
