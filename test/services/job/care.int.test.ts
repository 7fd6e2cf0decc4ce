import { utimes } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { JobState, ClaimAttemptResponse_Outcome as Outcome } from "#gen/filemill/job/v1/job_pb.ts";
import { createClaimed, failureOf, hour, type JobBench, openJobBench } from "./job-harness.ts";

const mine = (jobId: string) => ({ accountId: "acc", jobId });

async function createDone(bench: JobBench): Promise<{ jobId: string; resultId: string }> {
  const { jobId } = await createClaimed(bench);
  const blob = await bench.blob("result");
  await bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome: { case: "result", value: { blob } } });
  return { jobId, resultId: blob.id };
}

/** Ids of the jobs that the queue delivers. Each is handled as by a worker: claimed, then acknowledged. */
async function deliveriesOf(bench: JobBench, lane: string): Promise<string[]> {
  const delivered: string[] = [];
  await using _consumer = await bench.queue.consume(lane, 10, async (delivery) => {
    delivered.push(delivery.jobId);
    await bench.leases.claimAttempt({ jobId: delivery.jobId, worker: "w1", leaseMs: 30_000 });
    delivery.ack();
  });
  await expect.poll(() => delivered.length).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  return delivered;
}

describe("reconciling", () => {
  it("wakes a job whose wake-up was lost, once, however often it checks", async () => {
    await using bench = await openJobBench({ cadence: { reconcileMs: 20 } });
    const { job } = await bench.jobs.createJob(await bench.request());
    const jobId = job?.id ?? "";
    await expect.poll(() => bench.queue.has("image", jobId)).toBe(true);
    await bench.queue.withdraw("image", jobId);
    bench.clock.advance(10_001);
    await expect.poll(() => bench.queue.has("image", jobId)).toBe(true);
    // The server counts a message for its lane a moment after storing it.
    await expect.poll(() => bench.queue.waiting("image")).toBe(1);
    for (let round = 0; round < 10; round += 1) {
      bench.clock.advance(10_001);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await deliveriesOf(bench, "image")).toEqual([jobId]);
  });

  it("wakes a running job whose worker and message are lost", async () => {
    await using bench = await openJobBench({ cadence: { reconcileMs: 20 } });
    const { jobId } = await createClaimed(bench);
    await expect.poll(() => bench.queue.has("image", jobId)).toBe(true);
    await bench.queue.withdraw("image", jobId);
    bench.clock.advance(30_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    // The lease has expired, but its worker may only be late.
    expect(await bench.queue.has("image", jobId)).toBe(false);
    bench.clock.advance(30_001);
    await expect.poll(() => bench.queue.has("image", jobId)).toBe(true);
    expect((await bench.leases.claimAttempt({ jobId, worker: "w2", leaseMs: 30_000 })).lease?.attempt).toBe(2);
  });

  it("finds at startup what another process left behind", async () => {
    await using bench = await openJobBench();
    const { job } = await bench.jobs.createJob(await bench.request());
    const jobId = job?.id ?? "";
    await expect.poll(() => bench.queue.has("image", jobId)).toBe(true);
    await bench.queue.withdraw("image", jobId);
    await using peer = await bench.peer();
    await expect.poll(() => bench.queue.has("image", jobId)).toBe(true);
    expect((await peer.jobs.getJob(mine(jobId))).job?.state).toBe(JobState.QUEUED);
  });
});

describe("two processes", () => {
  it("see each other's work and fence each other's leases", async () => {
    await using bench = await openJobBench();
    await using peer = await bench.peer();
    const { job } = await bench.jobs.createJob(await bench.request());
    const jobId = job?.id ?? "";
    // The peer may not know of the job yet, nor the first process of the claim.
    const claim = await peer.leases.claimAttempt({ jobId, worker: "w1", leaseMs: 30_000 });
    expect(claim.outcome).toBe(Outcome.LEASED);
    expect((await bench.leases.claimAttempt({ jobId, worker: "w2", leaseMs: 30_000 })).outcome).toBe(Outcome.BUSY);
    const blob = await bench.blob("out");
    const outcome = { case: "result" as const, value: { blob } };
    expect(await bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome })).toMatchObject({ accepted: true });
    await expect.poll(async () => (await peer.jobs.getJob(mine(jobId))).job?.state).toBe(JobState.DONE);
    await bench.jobs.deleteJob(mine(jobId));
    await expect.poll(async () => (await failureOf(peer.jobs.getJob(mine(jobId))))?.code).toBe("JOB_NOT_FOUND");
  });
});

describe("a process with a stale projection", () => {
  it("reads the store before rejecting a lease holder, 100 times", async () => {
    await using bench = await openJobBench();
    await using peer = await bench.peer();
    for (let round = 0; round < 100; round += 1) {
      const { job } = await bench.jobs.createJob(await bench.request());
      const jobId = job?.id ?? "";
      await peer.leases.claimAttempt({ jobId, worker: "w1", leaseMs: 30_000 });
      const outcome = { case: "failure" as const, value: { retryable: false } };
      expect(await bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome })).toMatchObject({ accepted: true });
    }
  });
});

describe("expiry", () => {
  it("is visible at once, lets a running download finish, and removes the job after 7 days", async () => {
    await using bench = await openJobBench({ cadence: { expireMs: 20 } });
    const { jobId, resultId } = await createDone(bench);
    const download = await bench.blobs.read(resultId);
    bench.clock.advance(hour + 1000);
    expect((await bench.jobs.getJob(mine(jobId))).job?.state).toBe(JobState.EXPIRED);
    await expect.poll(() => bench.blobs.has(resultId)).toBe(false);
    expect(await text(download)).toBe("result");
    expect((await bench.jobs.getJob(mine(jobId))).job).toMatchObject({ state: JobState.EXPIRED, result: { sizeBytes: 6n } });
    expect((await bench.jobs.listJobs({ accountId: "acc", state: JobState.EXPIRED })).jobs).toHaveLength(1);
    bench.clock.advance(7 * 24 * hour - 61_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await bench.jobs.getJob(mine(jobId))).job?.state).toBe(JobState.EXPIRED);
    bench.clock.advance(61_000);
    await expect.poll(async () => (await failureOf(bench.jobs.getJob(mine(jobId))))?.code).toBe("JOB_NOT_FOUND");
  });

  it("cancels an unfinished job and its worker's attempt", async () => {
    await using bench = await openJobBench({ cadence: { expireMs: 20 } });
    const request = await bench.request({ planRetentionSeconds: 60 });
    const { job } = await bench.jobs.createJob(request);
    const jobId = job?.id ?? "";
    await bench.leases.claimAttempt({ jobId, worker: "w1", leaseMs: 600_000 });
    bench.clock.advance(60_001);
    await expect.poll(async () => (await bench.jobs.getJob(mine(jobId))).job?.state).toBe(JobState.CANCELLED);
    expect(await bench.leases.heartbeat({ jobId, attempt: 1, worker: "w1", leaseMs: 1000 })).toMatchObject({ cancelled: true });
    await expect.poll(() => bench.blobs.has(request.input?.id ?? "")).toBe(false);
  });

  it("never truncates a concurrent download, 50 times", async () => {
    await using bench = await openJobBench({ cadence: { expireMs: 5 } });
    const outcomes = new Set<string>();
    // Until both outcomes were seen: downloads start later and later in case the broker is slow.
    for (let round = 0; round < 50 || outcomes.size < 2; round += 1) {
      const { jobId, resultId } = await createDone(bench);
      bench.clock.advance(hour);
      const download = async () => {
        const turns = round < 50 ? round % 12 : (round % 2) * round;
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
        const stream = await bench.blobs.read(resultId);
        return text(stream);
      };
      const got = await download().catch((error: { code?: string }) => error.code ?? "other");
      outcomes.add(got);
      expect((await bench.jobs.getJob(mine(jobId))).job?.state).toBe(JobState.EXPIRED);
    }
    expect([...outcomes].sort()).toEqual(["RESULT_EXPIRED", "result"]);
  });
});

describe("a deleted job", () => {
  it("is removed without releasing the idempotency key of its successor", async () => {
    await using bench = await openJobBench({ cadence: { expireMs: 20 } });
    const ask = async () => bench.request({ idempotencyKey: "k" });
    const first = await bench.jobs.createJob(await ask());
    await bench.jobs.deleteJob(mine(first.job?.id ?? ""));
    const second = await bench.jobs.createJob(await ask());
    expect(second.replayed).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await bench.jobs.createJob(await ask())).toMatchObject({ replayed: true, job: { id: second.job?.id } });
    expect(second.job?.id).not.toBe(first.job?.id);
  });
});

describe("the sweep", () => {
  it("removes old unreferenced blobs at startup, and no others", async () => {
    await using bench = await openJobBench();
    const orphan = await bench.blob("orphan");
    const fresh = await bench.blob("fresh");
    const { resultId } = await createDone(bench);
    const queued = (await bench.jobs.createJob(await bench.request())).job;
    const twoHoursAgo = new Date(bench.clock.now() - 2 * hour);
    for (const id of [orphan.id, queued?.input?.id ?? "", resultId]) await utimes(bench.blobs.pathOf(id), twoHoursAgo, twoHoursAgo);
    await using _peer = await bench.peer();
    await expect.poll(() => bench.blobs.has(orphan.id)).toBe(false);
    const kept = [fresh.id, queued?.input?.id ?? "", resultId];
    expect(await Promise.all(kept.map((id) => bench.blobs.has(id)))).toEqual([true, true, true]);
  });

  it("removes interrupted uploads", async () => {
    await using bench = await openJobBench();
    const held = Promise.withResolvers<void>();
    async function* stalled(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(2_000_000);
      await held.promise;
    }
    const upload = bench.blobs.write(stalled()).catch(() => undefined);
    const partials = async () => (await Array.fromAsync(bench.blobs.list())).filter(({ partial }) => partial);
    await expect.poll(async () => (await partials()).length).toBe(1);
    bench.clock.advance(2 * hour);
    await using _peer = await bench.peer();
    await expect.poll(async () => (await partials()).length).toBe(0);
    held.resolve();
    await upload;
  });
});

describe("a purge", () => {
  const nothing = { jobs: 0, files: 0, bytes: 0n, strayFiles: 0 };

  it("reports what is due in a dry run and removes exactly that otherwise", async () => {
    await using bench = await openJobBench();
    const old = await createDone(bench);
    bench.clock.advance(2 * hour);
    const recent = await createDone(bench);
    const stray = await bench.blob("stray");
    const threeHoursAgo = new Date(Date.now() - 3 * hour);
    await utimes(bench.blobs.pathOf(stray.id), threeHoursAgo, threeHoursAgo);
    const now = new Date(bench.clock.now());
    await utimes(bench.blobs.pathOf(recent.resultId), now, now);
    const present = () => Promise.all([old.resultId, recent.resultId, stray.id].map((id) => bench.blobs.has(id)));

    expect(await bench.jobs.purge({ dryRun: true })).toMatchObject({ jobs: 1, files: 1, bytes: 6n, strayFiles: 1 });
    expect(await present()).toEqual([true, true, true]);
    expect(await bench.jobs.purge({})).toMatchObject({ jobs: 1, files: 1, bytes: 6n, strayFiles: 1 });
    expect(await present()).toEqual([false, true, false]);
    expect((await bench.jobs.getJob(mine(old.jobId))).job?.state).toBe(JobState.EXPIRED);
    expect((await bench.jobs.getJob(mine(recent.jobId))).job?.state).toBe(JobState.DONE);
    expect(await bench.jobs.purge({ dryRun: true })).toMatchObject(nothing);
  });

  it("removes all jobs of one account, unfinished ones too, and none of another", async () => {
    await using bench = await openJobBench();
    const done = await createDone(bench);
    const queued = (await bench.jobs.createJob(await bench.request())).job;
    const other = (await bench.jobs.createJob(await bench.request({ accountId: "other" }))).job;
    const purge = (dryRun: boolean) => bench.jobs.purge({ accountId: "acc", dryRun });
    expect(await purge(true)).toMatchObject({ jobs: 2, files: 2, bytes: 11n, strayFiles: 0 });
    expect((await bench.jobs.listJobs({ accountId: "acc", limit: 10 })).jobs).toHaveLength(2);
    expect(await purge(false)).toMatchObject({ jobs: 2, files: 2 });
    expect((await bench.jobs.listJobs({ accountId: "acc", limit: 10 })).jobs).toEqual([]);
    const blobs = [done.resultId, queued?.input?.id ?? "", other?.input?.id ?? ""];
    expect(await Promise.all(blobs.map((id) => bench.blobs.has(id)))).toEqual([false, false, true]);
    expect(await purge(true)).toMatchObject(nothing);
  });
});
