import { isEnded } from "#contract/job-json.ts";
import type { GatewayDeps } from "#gateway/context.ts";
import type { Job } from "#gen/filemill/job/v1/job_pb.ts";
import { following } from "#kit/following.ts";

/**
 * Follows a job until it ends, `waitMs` has passed or a signal fires, and resolves with its last known state. A broken watch is not an
 * error here: the job is stored and continues, so the caller answers with what it knows.
 */
export function waitForEnd(
  deps: Pick<GatewayDeps, "jobs" | "log">,
  job: Job,
  waitMs: number,
  ...signals: readonly AbortSignal[]
): Promise<Job> {
  if (isEnded(job) || waitMs <= 0) return Promise.resolve(job);
  const ended = Promise.withResolvers<Job>();
  const over = following(...signals);
  const timer = setTimeout(() => over.abort(new Error("the wait is over")), waitMs);
  let latest = job;
  const follow = async (): Promise<void> => {
    const watch = deps.jobs.watchJob({ accountId: job.accountId, jobId: job.id }, { signal: over.signal });
    for await (const change of watch) {
      latest = change.job ?? latest;
      // The stream is read to its end although the caller no longer waits, because the server keeps a watch open that is left early.
      if (isEnded(latest)) ended.resolve(latest);
    }
  };
  follow()
    .catch((error: unknown) => {
      if (!over.signal.aborted) deps.log.warn("gateway.watch_broken", { job: job.id, error: String(error) });
    })
    .finally(() => {
      clearTimeout(timer);
      over[Symbol.dispose]();
      ended.resolve(latest);
    });
  return ended.promise;
}
