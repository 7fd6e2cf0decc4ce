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

/** The conditional and range headers of a request. For POST, none apply. */
export type Conditions = {
  readonly method: string;
  readonly inline?: boolean;
  /** The request came through a counted share link: hide facts of the job, and do not let anyone cache the result. */
  readonly isForOthers?: boolean;
  readonly ifNoneMatch?: string;
  readonly range?: string;
  readonly ifRange?: string;
};

/** The result's blob. Throws JOB_NOT_DONE, JOB_FAILED, JOB_CANCELLED or RESULT_EXPIRED if there is none. */
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

/** Sends a finished job's result with the documented headers, as 200, 206, 304 or 416. */
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
  // Opened before the headers are set, because an error must not carry them. An open stream survives the removal of its blob, so the sweep
  // never cuts off a download.
  const body = conditions.method === "HEAD" ? undefined : await bodyOf(blobs, blob, conditions, asked);
  const range: ByteRange = asked ?? { start: 0, end: sizeBytes - 1 };
  const length = range.end - range.start + 1;
  reply.headers(headers).header("content-length", length);
  if (asked !== undefined) reply.code(206).header("content-range", `bytes ${range.start}-${range.end}/${sizeBytes}`);
  return reply.send(body instanceof Readable ? Readable.from(exactly(length, body), { objectMode: false }) : body);
}

/** Throws if a stream ends before its Content-Length, which closes the connection. Otherwise the client would keep waiting. */
async function* exactly(length: number, source: Readable): AsyncGenerator<Buffer> {
  let left = length;
  for await (const chunk of source) {
    left -= chunk.length;
    yield chunk;
  }
  if (left !== 0) throw new Error(`a stored file has ${left} bytes less than its record says`);
}

/** A result that this request produced may still be in memory and needs no stream. */
async function bodyOf(blobs: BlobStore, { id }: Blob, { method }: Conditions, range: ByteRange | undefined): Promise<Readable | Buffer> {
  const fresh = method === "POST" ? blobs.readFresh(id) : undefined;
  return fresh ?? (await blobs.read(id, range, { isPassedOn: true }));
}

/** Types that browsers display themselves without executing any content. */
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
    // All text results are UTF-8, and a browser that displays one must know that.
    "content-type": shown && mime === "text/plain" ? "text/plain; charset=utf-8" : (format?.mime ?? "application/octet-stream"),
    "content-disposition": dispositionOf(job.sourceName, format?.extensions[0] ?? job.to, shown ? "inline" : "attachment"),
    etag,
    "repr-digest": `sha-256=:${Buffer.from(blob.digest, "hex").toString("base64")}:`,
    "accept-ranges": "bytes",
    "content-security-policy": shown ? "default-src 'none'; style-src 'unsafe-inline'; sandbox" : "default-src 'none'; sandbox",
    // Previews are embedded in Filemill's own pages.
    ...(shown ? { "x-frame-options": "SAMEORIGIN" } : {}),
    "cache-control": "private",
    "x-job-id": job.id,
    "x-duration-ms": String(job.durationMs),
    ...(job.notes.length === 0 ? {} : { "x-notes": headerJsonOf(job.notes.map(({ code, message }) => ({ code, message }))) }),
  };
}
