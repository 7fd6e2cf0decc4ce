import { describe, expect, it } from "vitest";
import { JobState, ClaimAttemptResponse_Outcome as Outcome } from "#gen/filemill/job/v1/job_pb.ts";
import { type JobBench, openJobBench } from "./job-harness.ts";

const leaseMs = 30_000;
const claim = (bench: Pick<JobBench, "leases">, jobId: string, worker = "w1") =>
  bench.leases.claimAttempt({ jobId, lane: "image", worker, leaseMs });

async function createFor(bench: JobBench, accountId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push((await bench.jobs.createJob(await bench.request({ accountId }))).job?.id ?? "");
  return ids;
}

/** Handles the queue's deliveries like a worker with one slot, and finishes each attempt successfully. */
async function work(bench: JobBench, leases: JobBench["leases"], count: number): Promise<string[]> {
  const started: string[] = [];
  await using _consumer = await bench.queue.consume("image", 1, async (delivery) => {
    if (started.length === count) return delivery.retry(10_000);
    const claimed = await leases.claimAttempt({ jobId: delivery.jobId, lane: delivery.lane, worker: "w", leaseMs });
    const { outcome, lease, retryMs } = claimed;
    if (outcome === Outcome.BUSY) return delivery.retry(retryMs);
    if (lease === undefined) return delivery.ack();
    started.push(lease.jobId);
    const blob = await bench.blob("out");
    const finish = { jobId: lease.jobId, attempt: lease.attempt, worker: "w", outcome: { case: "result" as const, value: { blob } } };
    expect(await leases.finishAttempt(finish)).toMatchObject({ accepted: true });
    delivery.ack();
  });
  await expect.poll(() => started.length).toBe(count);
  return started;
}

describe("fairness among accounts", () => {
  it("starts an account's only job before another's 200, and reports that position", async () => {
    await using bench = await openJobBench();
    const many = await createFor(bench, "A", 200);
    await work(bench, bench.leases, 2);
    const [one = ""] = await createFor(bench, "B", 1);
    const { job } = await bench.jobs.getJob({ accountId: "B", jobId: one });
    expect(job?.queuePosition).toBe(1);
    expect((await bench.jobs.getJob({ accountId: "A", jobId: many[2] ?? "" })).job?.queuePosition).toBe(2);
    expect(await work(bench, bench.leases, 3)).toEqual([one, many[2], many[3]]);
  });

  it("finishes every job and leaves no message behind with two processes handing out work", async () => {
    await using bench = await openJobBench();
    await using peer = await bench.peer();
    const ids = [...(await createFor(bench, "A", 20)), ...(await createFor(bench, "B", 5)), ...(await createFor(bench, "C", 1))];
    const [half, rest] = await Promise.all([work(bench, bench.leases, 13), work(bench, peer.leases, 13)]);
    expect([...half, ...rest].toSorted()).toEqual(ids.toSorted());
    // Both took turns among the accounts they saw: the small accounts were not left for the end.
    const lateStarters = [...half.slice(-3), ...rest.slice(-3)];
    expect(lateStarters.every((id) => ids.indexOf(id) < 20)).toBe(true);
    await expect.poll(() => bench.queue.waiting("image")).toBe(0);
  });
});

describe("a slot reserved for idle accounts", () => {
  const claimIdle = (bench: JobBench, jobId: string) =>
    bench.leases.claimAttempt({ jobId, lane: "image", worker: "w1", leaseMs, idleAccountOnly: true });

  it("refuses an account with a running job, and starts another account's job under the same wake-up", async () => {
    await using bench = await openJobBench();
    const [first = "", second = ""] = await createFor(bench, "A", 2);
    expect((await claimIdle(bench, first)).lease?.jobId).toBe(first);
    expect(await claimIdle(bench, second)).toMatchObject({ outcome: Outcome.BUSY, retryMs: 0 });
    const [other = "", more = ""] = await createFor(bench, "B", 2);
    expect((await claimIdle(bench, second)).lease?.jobId).toBe(other);
    expect(await claimIdle(bench, more)).toMatchObject({ outcome: Outcome.BUSY, retryMs: 0 });
    // A normal slot serves every account.
    expect((await claim(bench, more)).lease?.jobId).toBe(second);
  });

  it("accepts a job that lost its worker", async () => {
    await using bench = await openJobBench();
    const [first = ""] = await createFor(bench, "A", 2);
    await claim(bench, first);
    bench.clock.advance(leaseMs + 1);
    expect((await claimIdle(bench, first)).lease).toMatchObject({ jobId: first, attempt: 2 });
  });
});

describe("a wake-up under which another account's job runs", () => {
  it("is retried while that job has a live worker, and restarts it once the lease expires", async () => {
    await using bench = await openJobBench();
    const [first = "", second = ""] = await createFor(bench, "A", 2);
    expect((await claim(bench, first)).lease?.jobId).toBe(first);
    const [other = ""] = await createFor(bench, "B", 1);
    expect((await claim(bench, second, "w2")).lease?.jobId).toBe(other);
    expect(await claim(bench, second)).toMatchObject({ outcome: Outcome.BUSY });
    bench.clock.advance(leaseMs + 1);
    expect((await claim(bench, second, "w3")).lease).toMatchObject({ jobId: other, attempt: 2 });
  });

  it("is not withdrawn with the job it was published for", async () => {
    await using bench = await openJobBench();
    const [first = "", second = ""] = await createFor(bench, "A", 2);
    await claim(bench, first);
    const [other = ""] = await createFor(bench, "B", 1);
    await expect.poll(() => bench.queue.waiting("image")).toBe(3);
    await claim(bench, second);
    await bench.jobs.cancelJob({ accountId: "A", jobId: second });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await bench.queue.has("image", second)).toBe(true);
    expect((await bench.jobs.getJob({ accountId: "B", jobId: other })).job?.state).toBe(JobState.RUNNING);
  });

  it("wakes the remaining job even if its own was deleted and removed", async () => {
    await using bench = await openJobBench({ cadence: { expireMs: 20 } });
    const [first = "", second = ""] = await createFor(bench, "A", 2);
    await bench.jobs.deleteJob({ accountId: "A", jobId: second });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await claim(bench, second)).lease?.jobId).toBe(first);
  });
});
