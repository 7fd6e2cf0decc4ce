import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { FilemillError, fromErrorMessage } from "#contract/errors.ts";
import { formatOf } from "#formats/index.ts";
import { sendErrorAnswer } from "#gateway/exchange/exchange.ts";
import { errorContextOf } from "#gateway/exchange/public-error.ts";
import { dispositionOf } from "#gateway/http/disposition.ts";
import { errorAnswerOf } from "#gateway/http/error-body.ts";
import { headerJsonOf } from "#gateway/http/headers.ts";
import { type ByteRange, rangeOf } from "#gateway/http/range.ts";
import { ifRangeHolds, noneMatchHits } from "#gateway/http/validators.ts";
import type { Blob } from "#gen/filemill/common/v1/blob_pb.ts";
import { type Job, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import type { BlobStore } from "#kit/blobs/store.ts";

/** What of a conditional or partial request counts; none of it for POST. */
export type Conditions = {
  readonly method: string;
  readonly inline?: boolean;
  /** By a link that counts: nothing is told of the job, and nobody in between may keep it. */
  readonly isForOthers?: boolean;
  readonly ifNoneMatch?: string;
  readonly range?: string;
  readonly ifRange?: string;
};

/** The result's blob, or the error that says why there is none: JOB_NOT_DONE, JOB_FAILED, JOB_CANCELLED, RESULT_EXPIRED. */
export function resultOf(job: Job): Blob {
  switch (job.state) {
    case JobState.DONE: {
      if (job.result === undefined) throw new FilemillError("INTERNAL", "Something went wrong on our side.");
      return job.result;
    }
    case JobState.FAILED: {
      const failure = job.error === undefined ? undefined : fromErrorMessage(job.error);
      throw new FilemillError("JOB_FAILED", `The conversion failed: ${failure?.message ?? "no reason was recorded."}`, {
        details: { reason: failure?.code ?? "INTERNAL" },
      });
    }
    case JobState.CANCELLED:
      throw new FilemillError("JOB_CANCELLED", "The job was cancelled; convert the file again.");
    case JobState.EXPIRED:
      throw new FilemillError("RESULT_EXPIRED", "The result has expired and was deleted; convert the file again.");
    default:
      throw new FilemillError("JOB_NOT_DONE", "The job is not done yet; ask again when its status is `done`.", {
        ...(job.estimateMs === undefined ? {} : { retryAfterMs: job.estimateMs }),
      });
  }
}

/** Sends a finished job's bytes with the headers of the contract; 200, 206, 304 or 416. */
export async function sendArtifact(reply: FastifyReply, blobs: BlobStore, job: Job, conditions: Conditions): Promise<FastifyReply> {
  const blob = resultOf(job);
  const sizeBytes = Number(blob.sizeBytes);
  const etag = `"${blob.digest}"`;
  const headers =
    conditions.isForOthers === true ? plainHeadersOf(job, blob) : artifactHeadersOf(job, blob, etag, conditions.inline === true);
  if (noneMatchHits(conditions.ifNoneMatch, etag)) return reply.headers(headers).code(304).send();
  const asked = ifRangeHolds(conditions.ifRange, etag) ? rangeOf(conditions.range, sizeBytes) : undefined;
  if (asked === "unsatisfiable") {
    const error = new FilemillError("BAD_REQUEST", `The range is outside the result, which has ${sizeBytes} bytes.`);
    const refusal = errorAnswerOf(error, errorContextOf(reply.request, undefined), {}, 416);
    return sendErrorAnswer(reply.header("content-range", `bytes */${sizeBytes}`), refusal);
  }
  // Opened before the headers are set, which an error must not carry. An open stream outlives the removal of its blob,
  // so a download is never cut off by the sweep.
  const body = conditions.method === "HEAD" ? undefined : await bodyOf(blobs, blob, conditions, asked);
  const range: ByteRange = asked ?? { start: 0, end: sizeBytes - 1 };
  const length = range.end - range.start + 1;
  reply.headers(headers).header("content-length", length);
  if (asked !== undefined) reply.code(206).header("content-range", `bytes ${range.start}-${range.end}/${sizeBytes}`);
  return reply.send(body instanceof Readable ? Readable.from(exactly(length, body), { objectMode: false }) : body);
}

/** A stream that ended before its Content-Length would leave the client waiting: one that fails ends the connection. */
async function* exactly(length: number, source: Readable): AsyncGenerator<Buffer> {
  let left = length;
  for await (const chunk of source) {
    left -= chunk.length;
    yield chunk;
  }
  if (left !== 0) throw new Error(`a stored file has ${left} bytes less than its record says`);
}

/** The result of this very request needs no stream around it. */
async function bodyOf(blobs: BlobStore, { id }: Blob, { method }: Conditions, range: ByteRange | undefined): Promise<Readable | Buffer> {
  const fresh = method === "POST" ? blobs.readFresh(id) : undefined;
  return fresh ?? (await blobs.read(id, range, { isPassedOn: true }));
}

/** What a browser shows by itself, without running anything of it. */
const shownInline =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)|audio\/(mpeg|ogg|wav|x-wav|flac|mp4|aac|webm)|video\/(mp4|webm|ogg)|application\/pdf|text\/plain)$/;

function plainHeadersOf(job: Job, { digest }: Blob): Record<string, string> {
  const format = formatOf(job.resultFormat === "" ? job.to : job.resultFormat);
  return {
    "content-type": format?.mime ?? "application/octet-stream",
    "content-disposition": dispositionOf(job.sourceName, format?.extensions[0] ?? job.to),
    "repr-digest": `sha-256=:${Buffer.from(digest, "hex").toString("base64")}:`,
    "content-security-policy": "default-src 'none'; sandbox",
    "cache-control": "no-store",
    "x-robots-tag": "noindex",
  };
}

function artifactHeadersOf(job: Job, blob: Blob, etag: string, inline: boolean): Record<string, string> {
  const format = formatOf(job.resultFormat === "" ? job.to : job.resultFormat);
  const [mime = ""] = format?.mime.split(";") ?? [];
  const shown = inline && shownInline.test(mime);
  return {
    // Every text that we write is UTF-8, which a browser that shows it must be told.
    "content-type": shown && mime === "text/plain" ? "text/plain; charset=utf-8" : (format?.mime ?? "application/octet-stream"),
    "content-disposition": dispositionOf(job.sourceName, format?.extensions[0] ?? job.to, shown ? "inline" : "attachment"),
    etag,
    "repr-digest": `sha-256=:${Buffer.from(blob.digest, "hex").toString("base64")}:`,
    "accept-ranges": "bytes",
    "content-security-policy": shown ? "default-src 'none'; style-src 'unsafe-inline'; sandbox" : "default-src 'none'; sandbox",
    // A preview stands in one of our own pages.
    ...(shown ? { "x-frame-options": "SAMEORIGIN" } : {}),
    "cache-control": "private",
    "x-job-id": job.id,
    "x-duration-ms": String(job.durationMs),
    ...(job.notes.length === 0 ? {} : { "x-notes": headerJsonOf(job.notes.map(({ code, message }) => ({ code, message }))) }),
  };
}
