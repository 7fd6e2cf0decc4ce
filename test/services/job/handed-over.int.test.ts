/** Jobs that a worker of the same process begins while their record is being written (decision 19). */
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { JobState, type Lease, ClaimAttemptResponse_Outcome as Outcome } from "#gen/filemill/job/v1/job_pb.ts";
import { jobRecordCodec } from "#kit/nats/job-record-codec.ts";
import type { Delivery } from "#kit/nats/ports.ts";
import { type Ask, type JobBench, openJobBench } from "./job-harness.ts";

type Taken = { readonly delivery: Delivery; readonly outcome: Outcome; readonly lease: Lease | undefined };

/** A worker that claims what it is woken for and does not end it. */
async function openWorker(bench: JobBench, slots = 1, more: { idleAccountOnly?: boolean } = {}) {
  const taken: Taken[] = [];
  const gate = Promise.withResolvers<void>();
  const consumer = await bench.queue.consume("image", slots, async (delivery) => {
    const claim = { jobId: delivery.jobId, lane: "image", worker: "w1", leaseMs: 30_000, early: true, ...more };
    const { outcome, lease } = await bench.leases.claimAttempt(claim);
    taken.push({ delivery, outcome, lease });
    if (outcome === Outcome.LEASED) await gate.promise;
    else delivery.ack();
  });
  return {
    taken,
    async [Symbol.asyncDispose]() {
      gate.resolve();
      await consumer[Symbol.asyncDispose]();
    },
  };
}

const create = async (bench: JobBench, ask: Ask = {}) => {
  const { job } = await bench.jobs.createJob(await bench.request(ask));
  if (job === undefined) throw new Error("no job");
  return job;
};
const jobOf = async (bench: Pick<JobBench, "jobs">, jobId: string) => (await bench.jobs.getJob({ accountId: "acc", jobId })).job;

async function finish(bench: JobBench, jobId: string, attempt = 1, worker = "w1") {
  const blob = await bench.blob("out");
  return await bench.leases.finishAttempt({ jobId, attempt, worker, outcome: { case: "result", value: { blob } } });
}

describe("a new job that a worker of this process waits for", () => {
  it("is recorded with its first attempt, in one write and without a message", async () => {
    await using bench = await openJobBench();
    await using worker = await openWorker(bench);
    const job = await create(bench);
    expect(worker.taken).toMatchObject([{ outcome: Outcome.LEASED, lease: { jobId: job.id, attempt: 1 } }]);
    expect(job).toMatchObject({ state: JobState.RUNNING, attempts: 1 });
    expect(await bench.queue.has("image", job.id)).toBe(false);
    expect(await finish(bench, job.id)).toMatchObject({ accepted: true });
    expect(await jobOf(bench, job.id)).toMatchObject({ state: JobState.DONE, attempts: 1 });
    const metrics = await bench.metrics.metrics();
    for (const state of ["queued", "running", "done"]) expect(metrics).toContain(`filemill_jobs_total{state="${state}",lane="image"} 1`);
  });

  it.each([
    ["soon: who waits for it is told with the job", 60_000, JobState.DONE],
    ["later: who waits for it watches the job", 100, JobState.RUNNING],
  ])("may end %s", async (_when, soonMs, shown) => {
    await using bench = await openJobBench({ cadence: { soonMs } });
    const answered = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<boolean>();
    await using _consumer = await bench.queue.consume("image", 1, async ({ jobId }) => {
      await bench.leases.claimAttempt({ jobId, lane: "image", worker: "w1", leaseMs: 30_000, early: true });
      if (shown === JobState.RUNNING) await answered.promise;
      ended.resolve((await finish(bench, jobId)).accepted);
    });
    const { id, state, input } = await create(bench);
    answered.resolve();
    expect(state).toBe(shown);
    expect(await ended.promise).toBe(true);
    expect(await jobOf(bench, id)).toMatchObject({ state: JobState.DONE, attempts: 1 });
    const record = await (await bench.broker.bucket("jobs", jobRecordCodec)).get(id);
    expect(record).toMatchObject({ revision: 2, value: { job: { state: JobState.DONE } } });
    await expect.poll(() => bench.blobs.has(input?.id ?? "")).toBe(false);
    const metrics = await bench.metrics.metrics();
    for (const each of ["queued", "running", "done"]) expect(metrics).toContain(`filemill_jobs_total{state="${each}",lane="image"} 1`);
  });

  it.each([
    ["by a worker, from whom somebody may have to take it over", 1],
    ["by nobody yet", 0],
  ])("has its input on the disk as soon as it is recorded, when it was begun %s", async (_how, slots) => {
    await using bench = await openJobBench();
    await using _worker = await openWorker(bench, slots);
    const held = async function* () {
      yield Buffer.from("input");
    };
    const input = await bench.blobs.write(held(), { mayBeHeld: true });
    const { id } = await create(bench, { input });
    expect(existsSync(bench.blobs.pathOf(input.id))).toBe(true);
    await bench.jobs.cancelJob({ accountId: "acc", jobId: id });
    await expect.poll(() => bench.blobs.has(input.id)).toBe(false);
    expect(existsSync(bench.blobs.pathOf(input.id))).toBe(false);
  });

  it.each([false, true])("may fail soon (and be tried again: %s)", async (retryable) => {
    await using bench = await openJobBench();
    let woken = 0;
    await using _consumer = await bench.queue.consume("image", 1, async ({ jobId, retry }) => {
      woken += 1;
      // What it is woken for again is left as it is.
      if (woken > 1) return;
      await bench.leases.claimAttempt({ jobId, lane: "image", worker: "w1", leaseMs: 30_000, early: true });
      const failure = { case: "failure" as const, value: { retryable } };
      const { retryInMs } = await bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome: failure });
      if (retryInMs !== undefined) retry(retryInMs);
    });
    const { id } = await create(bench);
    await expect.poll(async () => (await jobOf(bench, id))?.state).toBe(retryable ? JobState.QUEUED : JobState.FAILED);
  });

  it("may end while its record cannot be written: nothing is left of it", async () => {
    await using bench = await openJobBench();
    const ended = Promise.withResolvers<{ accepted: boolean; blob: string }>();
    await using _consumer = await bench.queue.consume("image", 1, async ({ jobId }) => {
      await bench.leases.claimAttempt({ jobId, lane: "image", worker: "w1", leaseMs: 30_000, early: true });
      const blob = await bench.blob("out");
      const outcome = { case: "result" as const, value: { blob } };
      const { accepted } = await bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome });
      ended.resolve({ accepted, blob: blob.id });
    });
    // Larger than the broker takes.
    await expect(bench.jobs.createJob(await bench.request({ sourceName: "x".repeat(2_000_000) }))).rejects.toThrow();
    const { accepted, blob } = await ended.promise;
    expect(accepted).toBe(false);
    await expect.poll(() => bench.blobs.has(blob)).toBe(false);
  });

  it("is woken again when its worker is lost with its process, and nothing that comes later counts", async () => {
    await using bench = await openJobBench({ cadence: { reconcileMs: 20 } });
    await using worker = await openWorker(bench);
    const { id } = await create(bench);
    bench.clock.advance(20_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await bench.queue.has("image", id)).toBe(false);
    bench.clock.advance(10_001);
    await expect.poll(() => bench.queue.has("image", id)).toBe(true);
    expect((await bench.leases.claimAttempt({ jobId: id, worker: "w2", leaseMs: 30_000 })).lease?.attempt).toBe(2);
    expect(await finish(bench, id)).toMatchObject({ accepted: false });
    expect(await finish(bench, id, 2, "w2")).toMatchObject({ accepted: true });
    expect(worker.taken).toHaveLength(1);
  });

  it("is found by the next start of the service", async () => {
    await using bench = await openJobBench();
    await using _worker = await openWorker(bench);
    const { id } = await create(bench);
    bench.clock.advance(30_001);
    await using _peer = await bench.peer();
    await expect.poll(() => bench.queue.has("image", id)).toBe(true);
  });

  it("goes back to the queue with a message when its attempt is to be repeated", async () => {
    await using bench = await openJobBench();
    await using worker = await openWorker(bench);
    const { id } = await create(bench);
    const failure = { case: "failure" as const, value: { retryable: true } };
    const { retryInMs } = await bench.leases.finishAttempt({ jobId: id, attempt: 1, worker: "w1", outcome: failure });
    worker.taken[0]?.delivery.retry(retryInMs ?? 0);
    await expect.poll(() => bench.queue.has("image", id)).toBe(true);
    expect(await jobOf(bench, id)).toMatchObject({ state: JobState.QUEUED, attempts: 1 });
  });

  it("can be cancelled", async () => {
    await using bench = await openJobBench();
    await using _worker = await openWorker(bench);
    const { id } = await create(bench);
    await bench.jobs.cancelJob({ accountId: "acc", jobId: id });
    expect(await bench.leases.heartbeat({ jobId: id, attempt: 1, worker: "w1", leaseMs: 30_000 })).toMatchObject({ cancelled: true });
    expect(await finish(bench, id)).toMatchObject({ accepted: false });
  });
});

it("a newcomer's job begins at once in the place that is kept for such, past those who wait and have something running", async () => {
  await using bench = await openJobBench();
  const outcomes: Outcome[] = [];
  const gate = Promise.withResolvers<void>();
  const handle = async ({ jobId }: Delivery): Promise<void> => {
    const idleAccountOnly = outcomes.length > 0;
    const claim = { jobId, lane: "image", worker: "w1", leaseMs: 30_000, early: true, idleAccountOnly };
    outcomes.push((await bench.leases.claimAttempt(claim)).outcome);
    await gate.promise;
  };
  await using _consumer = await bench.queue.consume("image", 1, handle, { admits: (isNewcomer) => isNewcomer || outcomes.length === 0 });
  try {
    expect(await create(bench, { accountId: "busy" })).toMatchObject({ state: JobState.RUNNING });
    expect(await create(bench, { accountId: "busy" })).toMatchObject({ state: JobState.QUEUED });
    expect(await create(bench, { accountId: "newcomer" })).toMatchObject({ state: JobState.RUNNING, attempts: 1 });
    expect(outcomes).toEqual([Outcome.LEASED, Outcome.LEASED]);
    expect(await create(bench, { accountId: "newcomer" })).toMatchObject({ state: JobState.QUEUED });
  } finally {
    gate.resolve();
  }
});

describe("a job is queued first", () => {
  it("where others wait in the lane", async () => {
    await using bench = await openJobBench();
    const waiting = await create(bench, { accountId: "other" });
    await expect.poll(() => bench.queue.has("image", waiting.id)).toBe(true);
    await using worker = await openWorker(bench);
    await expect.poll(() => worker.taken.map(({ lease }) => lease?.jobId)).toEqual([waiting.id]);
    const { id, state } = await create(bench);
    expect(state).toBe(JobState.QUEUED);
    await expect.poll(() => bench.queue.has("image", id)).toBe(true);
  });

  it("where a place in the queue was asked for, or other requests may make the same job", async () => {
    await using bench = await openJobBench();
    await using worker = await openWorker(bench, 2);
    expect(await create(bench, { durable: true })).toMatchObject({ state: JobState.QUEUED });
    expect(await create(bench, { idempotencyKey: "k" })).toMatchObject({ state: JobState.QUEUED });
    await expect.poll(() => worker.taken.map(({ outcome }) => outcome)).toEqual([Outcome.LEASED, Outcome.LEASED]);
  });

  it("and whoever hears of it before it is written waits for that, so that what is leased is what is written", async () => {
    await using bench = await openJobBench();
    await using worker = await openWorker(bench);
    // Its write takes longer than its wake-up.
    const { id } = await create(bench, { idempotencyKey: "k", sourceName: "x".repeat(500_000) });
    await expect.poll(() => worker.taken).toMatchObject([{ outcome: Outcome.LEASED, lease: { jobId: id, attempt: 1 } }]);
    expect(await bench.leases.heartbeat({ jobId: id, attempt: 1, worker: "w1", leaseMs: 30_000 })).toMatchObject({ cancelled: false });
    expect(await finish(bench, id)).toMatchObject({ accepted: true });
  });

  it("where the place is kept for accounts with nothing running, and its own has something", async () => {
    await using bench = await openJobBench();
    await using _busy = await openWorker(bench);
    expect(await create(bench)).toMatchObject({ state: JobState.RUNNING });
    await using kept = await openWorker(bench, 1, { idleAccountOnly: true });
    expect(await create(bench)).toMatchObject({ state: JobState.QUEUED });
    await expect.poll(() => kept.taken.map(({ outcome }) => outcome)).toEqual([Outcome.BUSY]);
  });
});

it("no attempt of a crowd is lost, whether its job was handed over or its message was faster than its record", async () => {
  await using bench = await openJobBench();
  const ends: boolean[] = [];
  await using _consumer = await bench.queue.consume("image", 3, async (delivery) => {
    const { jobId } = delivery;
    const { outcome, lease, retryMs } = await bench.leases.claimAttempt({
      jobId,
      lane: "image",
      worker: "w1",
      leaseMs: 30_000,
      early: true,
    });
    if (outcome === Outcome.BUSY) return delivery.retry(retryMs);
    if (lease !== undefined) ends.push((await finish(bench, lease.jobId)).accepted);
    delivery.ack();
  });
  const ids: string[] = [];
  const client = async (): Promise<void> => {
    for (let count = 0; count < 40; count += 1)
      ids.push((await create(bench, count % 3 === 0 ? { idempotencyKey: crypto.randomUUID() } : {})).id);
  };
  await Promise.all(Array.from({ length: 6 }, client));
  await expect.poll(() => ends.length).toBe(ids.length);
  expect(ends.filter((accepted) => !accepted)).toEqual([]);
  for (const id of ids) expect(await jobOf(bench, id)).toMatchObject({ state: JobState.DONE, attempts: 1 });
});

it("a job whose record could not be written is nobody's, although a worker began with it", async () => {
  await using bench = await openJobBench();
  await using worker = await openWorker(bench);
  // Larger than the broker takes.
  const request = await bench.request({ sourceName: "x".repeat(2_000_000) });
  await expect(bench.jobs.createJob(request)).rejects.toThrow();
  const jobId = worker.taken[0]?.lease?.jobId ?? "";
  expect(await bench.leases.heartbeat({ jobId, attempt: 1, worker: "w1", leaseMs: 30_000 })).toMatchObject({ cancelled: true });
  const blob = await bench.blob("out");
  const outcome = { case: "result" as const, value: { blob } };
  expect(await bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome })).toMatchObject({ accepted: false });
  await expect.poll(() => bench.blobs.has(blob.id)).toBe(false);
});
