/** Jobs of a dead worker process are taken over before their lease expires, if its death is certain (decision 31). */
import { describe, expect, it } from "vitest";
import { JobState, ClaimAttemptResponse_Outcome as Outcome } from "#gen/filemill/job/v1/job_pb.ts";
import { nameProcess } from "#kit/process-identity.ts";
import { elsewhere, nameOfDead, startNamed } from "#test/harness/named-process.ts";
import { createClaimed, type JobBench, openJobBench } from "./job-harness.ts";

const often = { cadence: { reconcileMs: 20 } };
const jobOf = async ({ jobs }: Pick<JobBench, "jobs">, jobId: string) => (await jobs.getJob({ accountId: "acc", jobId })).job;
const claim = ({ leases }: Pick<JobBench, "leases">, jobId: string, worker = "w2") =>
  leases.claimAttempt({ jobId, lane: "image", worker, leaseMs: 30_000 });

async function finish(bench: JobBench, jobId: string, attempt: number, worker: string) {
  const blob = await bench.blob("out");
  return { blob, ...(await bench.leases.finishAttempt({ jobId, attempt, worker, outcome: { case: "result", value: { blob } } })) };
}

/** A job that a worker of this process, under the given name, started on the short path: it has no message. */
async function createBegun(bench: JobBench, worker: string): Promise<string> {
  await using _consumer = await bench.queue.consume("image", 1, async ({ jobId }) => {
    await bench.leases.claimAttempt({ jobId, lane: "image", worker, leaseMs: 30_000 });
  });
  const { job } = await bench.jobs.createJob(await bench.request());
  expect(job).toMatchObject({ state: JobState.RUNNING, attempts: 1 });
  return job?.id ?? "";
}

/**
 * The jobs that a worker is woken for, until there are enough and it has
 * been quiet for a while. Each is claimed and settled as a worker would.
 */
async function takenBy(bench: JobBench, worker: string, atLeast = 1): Promise<string[]> {
  const taken: string[] = [];
  await using _consumer = await bench.queue.consume("image", 4, async (delivery) => {
    const { outcome, lease, retryMs } = await claim(bench, delivery.jobId, worker);
    if (outcome === Outcome.BUSY) return delivery.retry(retryMs);
    if (lease !== undefined) taken.push(lease.jobId);
    if (lease !== undefined) await finish(bench, lease.jobId, lease.attempt, worker);
    delivery.ack();
  });
  await expect.poll(() => taken.length).toBeGreaterThanOrEqual(atLeast);
  await new Promise((resolve) => setTimeout(resolve, 300));
  return taken;
}

describe("a job of a dead worker process", () => {
  it("is recovered in the next reconciliation round, long before its lease expires", async () => {
    await using bench = await openJobBench(often);
    await using worker = await startNamed();
    const jobId = await createBegun(bench, worker.name);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await jobOf(bench, jobId)).toMatchObject({ state: JobState.RUNNING });
    await worker.kill();
    await expect.poll(() => bench.queue.has("image", jobId)).toBe(true);
    expect((await claim(bench, jobId)).lease).toMatchObject({ jobId, attempt: 2 });
    const late = await finish(bench, jobId, 1, worker.name);
    expect(late.accepted).toBe(false);
    await expect.poll(() => bench.blobs.has(late.blob.id)).toBe(false);
    expect(await finish(bench, jobId, 2, "w2")).toMatchObject({ accepted: true });
    expect(await jobOf(bench, jobId)).toMatchObject({ state: JobState.DONE, attempts: 2 });
  });

  it("is recovered at the next service start, whether it took the short path or came by message", async () => {
    await using bench = await openJobBench();
    const dead = await nameOfDead();
    const begun = await createBegun(bench, dead);
    const { jobId: claimed } = await createClaimed(bench, dead);
    await using _peer = await bench.peer();
    expect(new Set(await takenBy(bench, "w2", 2))).toEqual(new Set([begun, claimed]));
    for (const id of [begun, claimed]) expect(await jobOf(bench, id)).toMatchObject({ state: JobState.DONE, attempts: 2 });
  });

  it("runs beside no other such job for a minute, so that a job that kills workers takes no others with it", async () => {
    await using bench = await openJobBench();
    const dead = await nameOfDead();
    const { jobId: one } = await createClaimed(bench, dead);
    const { jobId: other } = await createClaimed(bench, dead);
    await using _peer = await bench.peer();
    for (const id of [one, other]) await expect.poll(async () => (await jobOf(bench, id))?.state).toBe(JobState.QUEUED);
    const { job: fresh } = await bench.jobs.createJob(await bench.request());
    const first = await claim(bench, one);
    expect(first.lease).toMatchObject({ attempt: 2 });
    expect((await claim(bench, fresh?.id ?? "")).lease).toMatchObject({ jobId: fresh?.id, attempt: 1 });
    const refused = await claim(bench, other);
    expect(refused).toMatchObject({ outcome: Outcome.BUSY });
    // The broker adds a few real milliseconds to the bench's clock.
    expect(Math.abs(Number(refused.retryMs) - 1000)).toBeLessThan(100);
    bench.clock.advance(20_000);
    for (const [jobId, attempt] of [
      [first.lease?.jobId, 2],
      [fresh?.id, 1],
    ] as const) {
      await bench.leases.heartbeat({ jobId: jobId ?? "", attempt, worker: "w2", leaseMs: 600_000 });
    }
    bench.clock.advance(41_000);
    const second = await claim(bench, other);
    expect(second.lease).toMatchObject({ attempt: 2 });
    expect(new Set([first.lease?.jobId, second.lease?.jobId])).toEqual(new Set([one, other]));
  });

  it("is woken even if the message of its lost attempt is still pending", async () => {
    await using bench = await openJobBench(often);
    await using worker = await startNamed();
    const { job } = await bench.jobs.createJob(await bench.request());
    const jobId = job?.id ?? "";
    const gate = Promise.withResolvers<void>();
    const claimed = Promise.withResolvers<void>();
    await using stack = new AsyncDisposableStack();
    stack.use(
      await bench.queue.consume("image", 1, async () => {
        await claim(bench, jobId, worker.name);
        claimed.resolve();
        await gate.promise;
      }),
    );
    stack.defer(gate.resolve);
    await claimed.promise;
    expect(await bench.queue.waiting("image")).toBe(1);
    await worker.kill();
    expect(await takenBy(bench, "w2")).toEqual([jobId]);
  });

  it("is recovered by only one of several services and started once", async () => {
    await using bench = await openJobBench();
    const dead = await nameOfDead();
    const ids = await Promise.all(Array.from({ length: 20 }, () => createClaimed(bench, dead)));
    await using _peers = new AsyncDisposableStack();
    for (const peer of await Promise.all([bench.peer(), bench.peer(), bench.peer()])) _peers.use(peer);
    const taken = await takenBy(bench, "w2", ids.length);
    expect(taken.toSorted()).toEqual(ids.map(({ jobId }) => jobId).toSorted());
    for (const { jobId } of ids) expect(await jobOf(bench, jobId)).toMatchObject({ state: JobState.DONE, attempts: 2 });
  });

  it("waits before its third attempt, as it may have killed its workers, and fails after its last", async () => {
    await using bench = await openJobBench(often);
    using _stopped = bench.clock.stop();
    const { jobId } = await createClaimed(bench, await nameOfDead());
    await expect.poll(async () => (await jobOf(bench, jobId))?.state).toBe(JobState.QUEUED);
    expect((await claim(bench, jobId, await nameOfDead())).lease?.attempt).toBe(2);
    await expect.poll(async () => (await jobOf(bench, jobId))?.state).toBe(JobState.QUEUED);
    const wait = await claim(bench, jobId);
    expect(wait.outcome).toBe(Outcome.BUSY);
    expect(wait.retryMs).toBeGreaterThan(1000);
    bench.clock.advance(10_000);
    expect((await claim(bench, jobId, await nameOfDead())).lease?.attempt).toBe(3);
    await expect.poll(async () => (await jobOf(bench, jobId))?.state).toBe(JobState.QUEUED);
    expect((await claim(bench, jobId)).outcome).toBe(Outcome.SETTLED);
    expect(await jobOf(bench, jobId)).toMatchObject({ state: JobState.FAILED, attempts: 3 });
  });
});

describe("a worker that is not certainly dead", () => {
  it.each([
    ["a live process", async () => nameProcess()],
    ["a process on another host", async () => elsewhere(await nameOfDead())],
    ["an unknown process", async () => "w1"],
  ])("keeps its job until the lease expires: %s", async (_whose, nameOf) => {
    await using bench = await openJobBench(often);
    const { jobId } = await createClaimed(bench, await nameOf());
    // The same service recovers the job of the dead worker.
    const { jobId: other } = await createClaimed(bench, await nameOfDead());
    await expect.poll(async () => (await jobOf(bench, other))?.state).toBe(JobState.QUEUED);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await jobOf(bench, jobId)).toMatchObject({ state: JobState.RUNNING, attempts: 1 });
    bench.clock.advance(30_001);
    expect((await claim(bench, jobId)).lease?.attempt).toBe(2);
  });

  it("has its jobs retried one at a time", async () => {
    await using bench = await openJobBench();
    const { jobId: one } = await createClaimed(bench, "w1");
    const { jobId: other } = await createClaimed(bench, "w1");
    bench.clock.advance(30_001);
    // The message of each is redelivered.
    expect((await claim(bench, one)).lease).toMatchObject({ jobId: one, attempt: 2 });
    expect(await claim(bench, other)).toMatchObject({ outcome: Outcome.BUSY, retryMs: 1000 });
    await finish(bench, one, 2, "w2");
    expect((await claim(bench, other)).lease).toMatchObject({ jobId: other, attempt: 2 });
  });

  it("keeps its job while paused, until the lease expires, and is fenced out after that", async () => {
    await using bench = await openJobBench(often);
    await using worker = await startNamed();
    const { jobId } = await createClaimed(bench, worker.name);
    process.kill(worker.pid ?? 0, "SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await claim(bench, jobId)).outcome).toBe(Outcome.BUSY);
    bench.clock.advance(30_001);
    expect((await claim(bench, jobId)).lease?.attempt).toBe(2);
    expect(await finish(bench, jobId, 1, worker.name)).toMatchObject({ accepted: false });
  });
});
