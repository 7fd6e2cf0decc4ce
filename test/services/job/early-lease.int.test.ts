import { describe, expect, it } from "vitest";
import { JobState, type Lease } from "#gen/filemill/job/v1/job_pb.ts";
import { createClaimed, type JobBench, openJobBench } from "./job-harness.ts";

type Worker = Pick<JobBench, "leases">;

const claimEarly = async ({ leases }: Worker, jobId: string, worker = "w1"): Promise<Lease | undefined> =>
  (await leases.claimAttempt({ jobId, lane: "image", worker, leaseMs: 30_000, early: true })).lease;

const beat = ({ leases }: Worker, jobId: string, worker = "w1") => leases.heartbeat({ jobId, attempt: 1, worker, leaseMs: 30_000 });

async function finish(bench: JobBench, { leases }: Worker, jobId: string, worker = "w1") {
  const blob = await bench.blob("out");
  return { blob, ...(await leases.finishAttempt({ jobId, attempt: 1, worker, outcome: { case: "result", value: { blob } } })) };
}

async function createOne(bench: JobBench): Promise<string> {
  return (await bench.jobs.createJob(await bench.request())).job?.id ?? "";
}

const stateOf = async (bench: JobBench, jobId: string) => (await bench.jobs.getJob({ accountId: "acc", jobId })).job?.state;

describe("a lease that is handed out while it is written", () => {
  it("counts as soon as it is written: the end waits for that", async () => {
    await using bench = await openJobBench();
    const jobId = await createOne(bench);
    expect(await claimEarly(bench, jobId)).toMatchObject({ jobId, attempt: 1, revision: 0n, plan: { to: "webp" } });
    expect(await finish(bench, bench, jobId)).toMatchObject({ accepted: true });
    const { job } = await bench.jobs.getJob({ accountId: "acc", jobId });
    expect(job).toMatchObject({ state: JobState.DONE, attempts: 1 });
  });

  it("is confirmed by the first heartbeat", async () => {
    await using bench = await openJobBench();
    const jobId = await createOne(bench);
    await claimEarly(bench, jobId);
    expect(await beat(bench, jobId)).toMatchObject({ cancelled: false });
    expect(await stateOf(bench, jobId)).toBe(JobState.RUNNING);
  });

  it("is not given where others wait, for a second attempt, or to who does not ask for it", async () => {
    await using bench = await openJobBench();
    const [first, second] = [await createOne(bench), await createOne(bench)];
    expect((await claimEarly(bench, first))?.revision).toBeGreaterThan(0n);
    const { lease } = await bench.leases.claimAttempt({ jobId: second, lane: "image", worker: "w2", leaseMs: 30_000 });
    expect(lease?.jobId).toBe(second);
    const failure = { case: "failure" as const, value: { retryable: true } };
    await bench.leases.finishAttempt({ jobId: first, attempt: 1, worker: "w1", outcome: failure });
    bench.clock.advance(10_000);
    const again = await claimEarly(bench, first);
    expect(again).toMatchObject({ jobId: first, attempt: 2 });
    expect(again?.revision).toBeGreaterThan(0n);
    expect((await createClaimed(bench)).lease.revision).toBeGreaterThan(0n);
  });

  it("is lost to who was faster, and nobody's result is taken twice", async () => {
    await using bench = await openJobBench();
    await using peer = await bench.peer();
    for (let round = 0; round < 20; round += 1) {
      const jobId = await createOne(bench);
      await expect.poll(() => peer.jobs.getJob({ accountId: "acc", jobId }).then(({ job }) => job?.state)).toBe(JobState.QUEUED);
      const workers = [
        { name: "w1", at: bench },
        { name: "w2", at: peer },
      ];
      const ends = await Promise.all(
        workers.map(async ({ name, at }) => {
          const lease = await claimEarly(at, jobId, name);
          if (lease === undefined) return false;
          const { cancelled } = await beat(at, jobId, name);
          const { accepted, blob } = await finish(bench, at, jobId, name);
          expect(accepted).toBe(!cancelled);
          if (!accepted) await expect.poll(() => bench.blobs.has(blob.id)).toBe(false);
          return accepted;
        }),
      );
      expect(ends.filter((accepted) => accepted)).toHaveLength(1);
      expect(await stateOf(bench, jobId)).toBe(JobState.DONE);
    }
  });

  it("is no lease when the job was cancelled in the same moment, whichever came first", async () => {
    await using bench = await openJobBench();
    for (let round = 0; round < 20; round += 1) {
      const jobId = await createOne(bench);
      const cancelling = bench.jobs.cancelJob({ accountId: "acc", jobId });
      const lease = await claimEarly(bench, jobId);
      await cancelling;
      if (lease !== undefined) expect(await beat(bench, jobId)).toMatchObject({ cancelled: true });
      expect(await finish(bench, bench, jobId)).toMatchObject({ accepted: false });
      expect(await stateOf(bench, jobId)).toBe(JobState.CANCELLED);
    }
  });
});
