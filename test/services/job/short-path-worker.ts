/** A worker as the job service sees it, and calls shared by the tests of the short path. */
import { type Lease, ClaimAttemptResponse_Outcome as Outcome } from "#gen/filemill/job/v1/job_pb.ts";
import { jobRecordCodec } from "#kit/nats/job-record-codec.ts";
import type { Delivery } from "#kit/nats/ports.ts";
import type { Ask, JobBench } from "./job-harness.ts";

type Taken = { readonly delivery: Delivery; readonly outcome: Outcome; readonly lease: Lease | undefined };
type Behaviour = { readonly slots?: number; readonly idleAccountOnly?: boolean; readonly work?: (lease: Lease) => Promise<unknown> };

/** A worker that claims when woken and holds its slot until `work` is done, or until disposal without `work`. */
export async function openWorker(bench: JobBench, { slots = 1, work, ...more }: Behaviour = {}) {
  const taken: Taken[] = [];
  const gate = Promise.withResolvers<void>();
  const consumer = await bench.queue.consume("image", slots, async (delivery) => {
    const claim = { jobId: delivery.jobId, lane: "image", worker: "w1", leaseMs: 30_000, ...more };
    const { outcome, lease, retryMs } = await bench.leases.claimAttempt(claim);
    taken.push({ delivery, outcome, lease });
    if (lease !== undefined) await (work?.(lease) ?? gate.promise);
    if (outcome === Outcome.BUSY) delivery.retry(retryMs);
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

export async function create(bench: JobBench, ask: Ask = {}) {
  const { job } = await bench.jobs.createJob(await bench.request(ask));
  if (job === undefined) throw new Error("no job");
  return job;
}
export const jobOf = async (bench: Pick<JobBench, "jobs">, jobId: string) => (await bench.jobs.getJob({ accountId: "acc", jobId })).job;
export const recordOf = async (bench: JobBench, jobId: string) => (await bench.broker.bucket("jobs", jobRecordCodec)).get(jobId);

export async function finish(bench: JobBench, { jobId, attempt }: Pick<Lease, "jobId" | "attempt">, worker = "w1") {
  const blob = await bench.blob("out");
  const outcome = { case: "result" as const, value: { blob } };
  return { blob, ...(await bench.leases.finishAttempt({ jobId, attempt, worker, outcome })) };
}
