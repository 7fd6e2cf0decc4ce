import { FilemillError } from "#contract/errors.ts";
import type { Lease } from "#gen/filemill/job/v1/job_pb.ts";
import type { Log } from "#kit/log.ts";
import type { Delivery } from "#kit/nats/ports.ts";
import type { WorkerParts } from "./worker-parts.ts";

export type LeaseWatch = Disposable & {
  /** Takes the progress that the next heartbeat reports. */
  onProgress(fraction: number): void;
};

/** The shortest interval between progress reports if the lease is longer. */
const progressMs = 1000;

/**
 * Extends the lease and the delivery while an attempt runs, and stops the attempt if the job was cancelled. A failed heartbeat stops
 * nothing, because the end of the attempt is fenced anyway.
 */
export function superviseLease(
  { leases, node, leaseMs }: Pick<WorkerParts, "leases" | "node" | "leaseMs">,
  lease: Lease,
  delivery: Delivery,
  stop: AbortController,
  log: Log,
): LeaseWatch {
  let progress: number | undefined;
  let reported: number | undefined;
  let isBeating = false;
  let beatAt = performance.now();
  const keepMs = leaseMs / 3;

  async function beat(): Promise<void> {
    if (isBeating) return;
    delivery.working();
    isBeating = true;
    beatAt = performance.now();
    reported = progress;
    try {
      const { jobId, attempt } = lease;
      const told = progress === undefined ? {} : { progress };
      const { cancelled } = await leases.heartbeat({ jobId, attempt, worker: node, leaseMs, ...told });
      if (cancelled) stop.abort(new FilemillError("JOB_CANCELLED", "The job was cancelled."));
    } catch (error) {
      log.warn("heartbeat.failed", { err: error });
    } finally {
      isBeating = false;
    }
  }

  const timer = setInterval(
    () => {
      if (performance.now() - beatAt >= keepMs || (progress !== reported && progress !== undefined)) void beat();
    },
    Math.min(progressMs, keepMs),
  ).unref();
  return {
    onProgress(fraction) {
      progress = fraction;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
