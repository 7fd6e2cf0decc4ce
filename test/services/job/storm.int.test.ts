import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fromConnectError } from "#contract/errors.ts";
import { type Job, JobState, type Lease } from "#gen/filemill/job/v1/job_pb.ts";
import { opened } from "#test/harness/opened.ts";
import { type JobBench, openJobBench } from "./job-harness.ts";

const bench = opened(() => openJobBench({ cadence: { expireMs: 30, reconcileMs: 50 } }));
let peer: Awaited<ReturnType<JobBench["peer"]>>;
beforeAll(async () => {
  peer = await bench.peer({ cadence: { expireMs: 30, reconcileMs: 50 } });
});
afterAll(async () => {
  await peer[Symbol.asyncDispose]();
});

type Deed = {
  readonly kind: "claim" | "beat" | "finish" | "fail" | "cancel" | "delete" | "lapse";
  readonly at: 0 | 1;
  readonly who: number;
};
const deed: fc.Arbitrary<Deed> = fc.record({
  kind: fc.constantFrom("claim", "claim", "claim", "beat", "finish", "finish", "fail", "cancel", "delete", "lapse"),
  at: fc.constantFrom(0, 1),
  who: fc.nat(3),
});

type Play = {
  readonly jobId: string;
  readonly leases: (Lease & { worker: string })[];
  readonly accepted: string[];
  readonly written: string[];
};

/** Performs one action through one of the two processes; rejections are expected. */
async function act(play: Play, { kind, at, who }: Deed): Promise<void> {
  const { jobs, leases } = at === 0 ? bench : peer;
  const { jobId } = play;
  const held = play.leases[who % Math.max(1, play.leases.length)];
  const mine = { accountId: "acc", jobId };
  switch (kind) {
    case "claim": {
      const worker = `w${who}`;
      const { lease } = await leases.claimAttempt({ jobId, worker, leaseMs: 30_000 });
      if (lease !== undefined) play.leases.push({ ...lease, worker });
      return;
    }
    case "lapse":
      bench.clock.advance(30_001);
      return;
    case "cancel":
      await jobs.cancelJob(mine);
      return;
    case "delete":
      await jobs.deleteJob(mine);
      return;
    default: {
      if (held === undefined) return;
      const lease = { jobId, attempt: held.attempt, worker: held.worker };
      if (kind === "beat") await leases.heartbeat({ ...lease, leaseMs: 30_000 });
      else if (kind === "fail") await leases.finishAttempt({ ...lease, outcome: { case: "failure", value: { retryable: true } } });
      else {
        const blob = await bench.blob(`${jobId} by ${held.worker}`);
        play.written.push(blob.id);
        const end = await leases.finishAttempt({ ...lease, outcome: { case: "result", value: { blob } } });
        if (end.accepted) play.accepted.push(blob.id);
      }
    }
  }
}

async function jobSeenBy({ jobs }: Pick<JobBench, "jobs">, jobId: string): Promise<Job | undefined> {
  return jobs.getJob({ accountId: "acc", jobId }).then(
    ({ job }) => job,
    (error: unknown) => {
      expect(fromConnectError(error).code).toBe("JOB_NOT_FOUND");
      return undefined;
    },
  );
}

const isOpen = (job: Job | undefined): boolean => job?.state === JobState.QUEUED || job?.state === JobState.RUNNING;

it("keeps its invariants when workers and clients of two processes act concurrently", { timeout: 180_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(deed, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 12, size: "max" }),
      async (rounds) => {
        const request = await bench.request();
        const { job: created } = await bench.jobs.createJob(request);
        const play: Play = { jobId: created?.id ?? "", leases: [], accepted: [], written: [] };
        for (const deeds of rounds) await Promise.allSettled(deeds.map((each) => act(play, each)));

        // Both processes arrive at the same view, and the store keeps only what that view needs.
        const states = () => Promise.all([bench, peer].map(async (each) => (await jobSeenBy(each, play.jobId))?.state));
        await expect.poll(async () => new Set(await states()).size).toBe(1);
        const job = await jobSeenBy(bench, play.jobId);
        expect(new Set(play.leases.map(({ attempt }) => attempt)).size).toBe(play.leases.length);
        expect(play.leases.length).toBeLessThanOrEqual(3);
        expect(play.accepted.length).toBeLessThanOrEqual(1);
        expect(job?.result?.id).toBe(job === undefined ? undefined : play.accepted[0]);
        if (job !== undefined) expect(job.state === JobState.DONE).toBe(play.accepted.length === 1);
        await expect.poll(() => bench.blobs.has(request.input?.id ?? ""), { interval: 3 }).toBe(isOpen(job));
        for (const id of play.written) {
          await expect.poll(() => bench.blobs.has(id), { interval: 3 }).toBe(job?.state === JobState.DONE && id === play.accepted[0]);
        }
        if (isOpen(job)) await bench.jobs.cancelJob({ accountId: "acc", jobId: play.jobId });
      },
    ),
    // As many as a slow machine has time for.
    { numRuns: 60, interruptAfterTimeLimit: 90_000 },
  );
});
