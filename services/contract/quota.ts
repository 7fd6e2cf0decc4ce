/** Error texts for a plan's limits on stored bytes and CPU time, used by the job service, on upload and by workers alike. */
import { FilemillError } from "./errors.ts";

const bytesPerMb = 1e6;
const howToMakeRoom = "Delete jobs you no longer need (DELETE /api/v1/jobs/{id}, or on the page /jobs)";

/** @param untilMs - When the first stored result expires. */
export function storedQuotaError(limitMb: number, usedBytes: number, untilMs?: number): FilemillError {
  const usedMb = wholeMb(usedBytes);
  const until = untilMs === undefined ? undefined : new Date(untilMs).toISOString().replace(/\.\d+/, "");
  const wait = until === undefined ? "or wait until their results expire" : `or wait until ${until}, when the first result expires`;
  return new FilemillError(
    "QUOTA_EXCEEDED",
    `You are using ${usedMb} of your ${limitMb} MB, so this file does not fit. ${howToMakeRoom}, ${wait}.`,
    {
      details: { limitMb, usedMb, ...(until === undefined ? {} : { until }) },
    },
  );
}

export function resultQuotaError(limitMb: number): FilemillError {
  return new FilemillError(
    "QUOTA_EXCEEDED",
    `The result would exceed the ${limitMb} MB that your plan allows; convert less of the file, or choose a smaller size or lower quality.`,
    { details: { limitMb } },
  );
}

export function processorQuotaError(limitSeconds: number, usedMs: number, retryAfterMs: number): FilemillError {
  const usedSeconds = Math.ceil(usedMs / 1000);
  const wait = `wait ${Math.max(1, Math.ceil(retryAfterMs / 60_000))} min`;
  return new FilemillError(
    "QUOTA_EXCEEDED",
    `Your conversions used ${usedSeconds} s of CPU time in the last hour; your plan allows ${limitSeconds} s; ${wait}.`,
    { details: { limitSeconds, usedSeconds }, retryAfterMs: Math.max(1000, retryAfterMs) },
  );
}

function wholeMb(bytes: number): number {
  return Math.round(bytes / (bytesPerMb / 10)) / 10;
}
