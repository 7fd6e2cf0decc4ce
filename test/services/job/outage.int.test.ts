import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { JobState, ClaimAttemptResponse_Outcome as Outcome } from "#gen/filemill/job/v1/job_pb.ts";
import { createClaimed, failureOf, type JobBench, openJobBench } from "./job-harness.ts";

async function signalBroker(bench: JobBench, signal: NodeJS.Signals): Promise<void> {
  const pid = Number(await readFile(join(bench.testBroker.dataDir, "nats", "server.pid"), "utf8"));
  process.kill(pid, signal);
}

/** A worker that "converts" in a few ms and, like the real one, acknowledges only settled jobs. */
async function openWorker(bench: JobBench, name: string, finished: string[]): Promise<AsyncDisposable> {
  return bench.queue.consume("image", 4, async (delivery) => {
    const { jobId } = delivery;
    const claim = await bench.leases.claimAttempt({ jobId, worker: name, leaseMs: 2000 }).catch(() => undefined);
    if (claim === undefined) return delivery.retry(200);
    if (claim.outcome === Outcome.SETTLED) return delivery.ack();
    if (claim.lease === undefined) return delivery.retry(claim.retryMs);
    await sleep(5);
    // The next job in turn, which need not be the one in the message.
    const { jobId: leased, attempt } = claim.lease;
    const blob = await bench.blob(`result of ${leased}`);
    const outcome = { case: "result" as const, value: { blob } };
    const end = await bench.leases.finishAttempt({ jobId: leased, attempt, worker: name, outcome });
    if (end.accepted) finished.push(leased);
    delivery.ack();
  });
}

describe("when the broker is killed repeatedly", () => {
  it("loses no accepted job and finishes none twice", { timeout: 180_000 }, async () => {
    await using bench = await openJobBench({ cadence: { reconcileMs: 500 }, settings: { LEASE_MS: 2000 } });
    const finished: string[] = [];
    await using _first = await openWorker(bench, "w1", finished);
    await using _second = await openWorker(bench, "w2", finished);
    const accepted = new Set<string>();
    const submit = async (index: number): Promise<void> => {
      const ask = { accountId: "acc", idempotencyKey: `k${index}` };
      for (;;) {
        const answer = await bench.jobs.createJob(await bench.request(ask)).catch(() => undefined);
        if (answer?.job !== undefined) {
          accepted.add(answer.job.id);
          return;
        }
      }
    };
    const submitting = (async () => {
      for (let index = 0; index < 120; index += 1) await Promise.all([submit(index), sleep(10)]);
    })();
    for (let kill = 0; kill < 4; kill += 1) {
      await sleep(300);
      await signalBroker(bench, "SIGKILL").catch(() => undefined);
    }
    await submitting;
    expect(accepted.size).toBe(120);
    const load = async () => (await bench.jobs.getLoad({ accountId: "acc" })).totalUnfinished;
    await expect.poll(load, { timeout: 90_000, interval: 200 }).toBe(0);

    const results = new Set<string>();
    for (const jobId of accepted) {
      const { job } = await bench.jobs.getJob({ accountId: "acc", jobId });
      expect(job?.state).toBe(JobState.DONE);
      if (job?.result !== undefined) results.add(job.result.id);
    }
    expect([...finished].sort()).toEqual([...accepted].sort());
    for (const id of results) expect(await bench.blobs.has(id)).toBe(true);
  });
});

describe("while the broker does not respond", () => {
  it("rejects new jobs with a retry hint, reads from memory, and records a result once it is back", async () => {
    await using bench = await openJobBench();
    const { jobId } = await createClaimed(bench);
    const request = await bench.request({ accountId: "out" });
    const outcome = { case: "result" as const, value: { blob: await bench.blob("kept") } };
    await signalBroker(bench, "SIGSTOP");
    try {
      // The signal takes effect a moment after it is sent.
      await expect.poll(() => bench.broker.healthy()).toBe(false);
      const finishing = bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome });
      const refused = await failureOf(bench.jobs.createJob(request));
      expect([refused?.code, refused?.retryAfterMs]).toEqual(["UNAVAILABLE", 2000]);
      expect((await bench.jobs.getJob({ accountId: "acc", jobId })).job?.state).toBe(JobState.RUNNING);
      await signalBroker(bench, "SIGCONT");
      expect(await finishing).toMatchObject({ accepted: true });
    } finally {
      await signalBroker(bench, "SIGCONT");
    }
    expect((await bench.jobs.getJob({ accountId: "acc", jobId })).job).toMatchObject({ state: JobState.DONE, result: outcome.value.blob });
    await expect.poll(() => bench.service.readiness()).toEqual({ ready: true });
    // The refused request's write may have reached the broker late: a refused client has no job running.
    await expect.poll(async () => (await bench.jobs.getLoad({ accountId: "out" })).accountUnfinished).toBe(0);
    await expect.poll(async () => (await bench.jobs.listJobs({ accountId: "out" })).jobs).toEqual([]);
  });
});

describe("stopping the service", () => {
  it("rejects new jobs while draining, but lets running ones finish", async () => {
    await using bench = await openJobBench();
    const { jobId } = await createClaimed(bench);
    await bench.service.drain(AbortSignal.timeout(1000));
    expect(bench.service.readiness()).toMatchObject({ ready: false, part: "job", parts: ["job"] });
    expect((await failureOf(bench.jobs.createJob(await bench.request())))?.code).toBe("UNAVAILABLE");
    const outcome = { case: "result" as const, value: { blob: await bench.blob("kept") } };
    expect(await bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome })).toMatchObject({ accepted: true });
  });

  it("ends a watch with UNAVAILABLE and keeps every job for the next start", async () => {
    await using bench = await openJobBench();
    const { job } = await bench.jobs.createJob(await bench.request());
    const jobId = job?.id ?? "";
    const watch = bench.jobs.watchJob({ accountId: "acc", jobId })[Symbol.asyncIterator]();
    await watch.next();
    const next = failureOf(watch.next());
    await bench.service[Symbol.asyncDispose]();
    expect((await next)?.code).toBe("UNAVAILABLE");
    await using peer = await bench.peer();
    expect((await peer.jobs.getJob({ accountId: "acc", jobId })).job).toMatchObject({ state: JobState.QUEUED, queuePosition: 1 });
  });
});
