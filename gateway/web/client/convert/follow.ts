import { ApiError, call } from "#client/server/api.ts";
import type { Job } from "#client/server/wire.ts";

type Told = (job: Job, progress: number | undefined) => void;

/** Browsers open six HTTP/1.1 connections per server, shared by all tabs, so event streams must leave some free. */
const MAX_STREAMS = 2;
const POLL_MS = 1500;
let streams = 0;

export function isEnded({ status }: Job): boolean {
  return status !== "queued" && status !== "running";
}

/**
 * Reports every change of a job until it has ended. Uses its event stream, or polls if too many streams are open. If the server cannot be
 * reached, keeps trying, because the job continues meanwhile. Rejects with an ApiError.
 */
export async function follow(jobId: string, told: Told, signal: AbortSignal, lost: () => void = () => {}): Promise<Job> {
  for (;;) {
    if (streams < MAX_STREAMS && document.visibilityState === "visible") await stream(jobId, told, signal);
    signal.throwIfAborted();
    // Also finds out why a stream broke.
    const job = await look(jobId, signal);
    if (job === undefined) lost();
    else {
      told(job, undefined);
      if (isEnded(job)) return job;
    }
    await pause(POLL_MS, signal);
  }
}

/** Undefined after a temporary failure. */
async function look(jobId: string, signal: AbortSignal): Promise<Job | undefined> {
  try {
    return (await call<{ job: Job } | undefined>(`/jobs/${jobId}`, { signal }))?.job;
  } catch (error) {
    if (error instanceof ApiError && isTemporary(error)) return undefined;
    throw error;
  }
}

function isTemporary({ code, status }: ApiError): boolean {
  // Between the page and the server, a proxy or a hotel's sign-in page may answer with 200. It knows nothing of the job.
  return code === "OFFLINE" || status === 429 || status >= 500 || (code === "UNREADABLE_ANSWER" && status < 400);
}

/** Resolves when the job has ended, the stream broke, the network was lost, or the page was hidden. */
function stream(jobId: string, told: Told, signal: AbortSignal): Promise<void> {
  streams += 1;
  return new Promise((resolve) => {
    const source = new EventSource(`/web/v1/jobs/${jobId}/events`);
    const end = (): void => {
      source.close();
      document.removeEventListener("visibilitychange", end);
      removeEventListener("offline", end);
      signal.removeEventListener("abort", end);
      streams -= 1;
      resolve();
    };
    source.addEventListener("job", ({ data }: MessageEvent<string>) => {
      const { job, progress } = JSON.parse(data) as { job: Job; progress?: number };
      told(job, progress);
      if (isEnded(job)) end();
    });
    source.addEventListener("error", end);
    document.addEventListener("visibilitychange", end);
    // A stream stays open and silent when the network is lost.
    addEventListener("offline", end);
    signal.addEventListener("abort", end);
  });
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Waits while the browser reports that it is offline. */
export function online(signal: AbortSignal): Promise<void> {
  if (navigator.onLine) return Promise.resolve();
  return new Promise((resolve, reject) => {
    addEventListener("online", () => resolve(), { once: true, signal });
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
