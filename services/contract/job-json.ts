import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { type Job, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { type DeliveryJson, deliveryJsonOf } from "./delivery-json.ts";
import { fromErrorMessage } from "./errors.ts";

/** Public names of the states of a job. */
export const jobStatuses = {
  queued: JobState.QUEUED,
  running: JobState.RUNNING,
  done: JobState.DONE,
  failed: JobState.FAILED,
  cancelled: JobState.CANCELLED,
  expired: JobState.EXPIRED,
} as const;

export type JobStatus = keyof typeof jobStatuses;

/** A job as the REST API shows it. The order of the fields is part of the contract. */
export type JobJson = {
  id: string;
  status: JobStatus;
  from: string;
  to: string;
  bytes: number;
  durationMs: number;
  notes: { code: string; message: string }[];
  expiresAt: string | null;
  download: string | null;
  status_url: string | null;
  queuePosition: number | null;
  estimateMs: number | null;
  error: { code: string; message: string } | null;
  createdAt: string | null;
  /** Only present if the result is to be sent to an address. */
  delivery?: DeliveryJson;
};

export function isJobStatus(text: string): text is JobStatus {
  return Object.hasOwn(jobStatuses, text);
}

export function isEnded(job: Job): boolean {
  return job.state !== JobState.QUEUED && job.state !== JobState.RUNNING;
}

/** URL of a job. @param apiUrl - Base URL of the API that the client uses, for example `https://example.org/api/v1`. */
export function jobUrlOf(job: Job, apiUrl: string): string {
  return `${apiUrl}/jobs/${job.id}`;
}

/** @param apiUrl - See `jobUrlOf`. */
export function jobJsonOf(job: Job, apiUrl: string): JobJson {
  const status = statusOf(job.state);
  const unfinished = !isEnded(job);
  const hasFigures = status === "done" || status === "expired";
  const error = status === "failed" && job.error !== undefined ? fromErrorMessage(job.error) : undefined;
  return {
    id: job.id,
    status,
    from: job.from,
    to: job.to,
    bytes: hasFigures ? Number(job.result?.sizeBytes ?? 0) : 0,
    durationMs: unfinished ? 0 : job.durationMs,
    notes: unfinished ? [] : job.notes.map(({ code, message }) => ({ code, message })),
    expiresAt: instantOf(job.expiresAt),
    download: status === "done" ? `${jobUrlOf(job, apiUrl)}/download` : null,
    status_url: unfinished ? jobUrlOf(job, apiUrl) : null,
    queuePosition: queuePositionOf(job, status),
    estimateMs: unfinished ? (job.estimateMs ?? 0) : null,
    error: error === undefined ? null : { code: error.code, message: error.message },
    createdAt: instantOf(job.createdAt),
    ...(job.delivery !== undefined && { delivery: deliveryJsonOf(job.delivery) }),
  };
}

function statusOf(state: JobState): JobStatus {
  for (const [status, value] of Object.entries(jobStatuses)) if (value === state && isJobStatus(status)) return status;
  throw new RangeError(`job state ${state}`);
}

function queuePositionOf(job: Job, status: JobStatus): number | null {
  if (status === "queued") return Math.max(job.queuePosition ?? 1, 1);
  return status === "running" ? 0 : null;
}

export function instantOf(timestamp: Timestamp | undefined): string | null {
  return timestamp === undefined ? null : timestampDate(timestamp).toISOString();
}
