import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@connectrpc/connect";
import type { LeaseService } from "#gen/filemill/job/v1/job_pb.ts";
import type { Log } from "#kit/log.ts";

const pauseMs = 1000;

/** Keeps passing on the job service's reports of attempts that are no longer wanted. Between two connections, heartbeats report them. */
export function watchCancellations(
  leases: Client<typeof LeaseService>,
  worker: string,
  onCancelled: (jobId: string, attempt: number) => void,
  log: Log,
): AsyncDisposable {
  const stop = new AbortController();
  async function follow(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        for await (const { jobId, attempt } of leases.watchCancellations({ worker }, { signal: stop.signal })) onCancelled(jobId, attempt);
      } catch (error) {
        if (!stop.signal.aborted) log.warn("cancellations.lost", { err: error });
      }
      await sleep(pauseMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  }
  const following = follow();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await following;
    },
  };
}
