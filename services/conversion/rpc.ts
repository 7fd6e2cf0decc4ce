/** ConversionService: bytes in and out as streams, for internal consumers. The work itself goes through the queue like every job. */
import { create } from "@bufbuild/protobuf";
import type { Client, HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { codeOf, FilemillError } from "#contract/errors.ts";
import type { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { Blob } from "#gen/filemill/common/v1/blob_pb.ts";
import {
  type ConversionService,
  type ConvertRequest,
  type ConvertResponse,
  ConvertResponseSchema,
  type ConvertStart,
  type DownloadResponse,
  DownloadResponseSchema,
  type UploadRequest,
} from "#gen/filemill/conversion/v1/conversion_pb.ts";
import { type Job, type JobService, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import type { BlobStore, ByteRange } from "#kit/blobs/store.ts";
import type { Converter } from "./domain/converter.ts";
import { paced } from "./domain/pace.ts";

export type RpcParts = {
  readonly blobs: BlobStore;
  readonly jobs: Client<typeof JobService>;
  readonly catalogue: Client<typeof CatalogueService>;
  readonly tell: Converter["tell"];
  readonly newPath: Converter["newPath"];
};

const chunkBytes = 262_144;

export function createConversionRpc(parts: RpcParts): ServiceImpl<typeof ConversionService> {
  return {
    upload: async (requests, { signal }) => ({ blob: await store(parts, chunksOf(paced(requests, ({ chunk }) => chunk.length)), signal) }),
    download: (request, context) => download(parts, request, context),
    convert: (requests, context) => convert(parts, requests, context),
    async inspect({ blob, fileName }) {
      if (blob === undefined || !(await parts.blobs.has(blob.id))) throw new FilemillError("NOT_FOUND", "There is no such blob.");
      const found = await tellBlob(parts, blob, fileName);
      const { format = "", toldBy, nameDisagrees, pixels, durationMs } = found;
      return { format, toldBy, nameDisagrees, extent: { pixels: BigInt(pixels), durationMs: BigInt(durationMs) } };
    },
  };
}

/** The highest limit of any route. Larger input is not worth storing, because no conversion accepts it. */
async function largestInputBytes({ catalogue }: RpcParts): Promise<number> {
  const { routes } = await catalogue.getCatalogue({});
  return Math.max(0, ...routes.map((route) => route.maxInputMb)) * 1e6;
}

async function store(parts: RpcParts, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Blob> {
  return parts.blobs.write(chunks, { maxBytes: await largestInputBytes(parts), signal });
}

async function* chunksOf(requests: AsyncIterable<UploadRequest>): AsyncIterable<Uint8Array> {
  for await (const { chunk } of requests) yield chunk;
}

type DownloadRange = { readonly accountId: string; readonly jobId: string; readonly offsetBytes: bigint; readonly lengthBytes: bigint };

async function* download(parts: RpcParts, request: DownloadRange, { signal }: HandlerContext): AsyncIterable<DownloadResponse> {
  const { job } = await parts.jobs.getJob({ accountId: request.accountId, jobId: request.jobId }, { signal });
  const result = resultOf(job);
  const start = Number(request.offsetBytes);
  const total = Number(result.sizeBytes);
  const end = request.lengthBytes === 0n ? total : Math.min(total, start + Number(request.lengthBytes));
  if (start > total) throw new FilemillError("BAD_REQUEST", "The download begins after the end of the file.");
  if (start >= end) return;
  for await (const chunk of blobChunks(parts.blobs, result, { start, end: end - 1 })) yield create(DownloadResponseSchema, { chunk });
}

async function* convert(
  parts: RpcParts,
  requests: AsyncIterable<ConvertRequest>,
  { signal }: HandlerContext,
): AsyncIterable<ConvertResponse> {
  const stream = paced(requests, ({ part }) => (part.case === "chunk" ? part.value.length : 0));
  const first = await stream.next();
  if (first.done === true || first.value.part.case !== "start") throw new FilemillError("BAD_REQUEST", "Send `start` before any chunk.");
  const start = first.value.part.value;
  const input = await store(parts, restOf(stream), signal);
  const job = await createJob(parts, start, input);
  let last = job;
  for await (const update of parts.jobs.watchJob({ accountId: start.accountId, jobId: job.id }, { signal })) {
    if (update.job === undefined) continue;
    last = update.job;
    yield create(ConvertResponseSchema, { part: { case: "job", value: last } });
  }
  // A failed job has already been reported. Only a result has bytes.
  if (last.state !== JobState.DONE) return;
  for await (const chunk of blobChunks(parts.blobs, resultOf(last))) {
    yield create(ConvertResponseSchema, { part: { case: "chunk", value: chunk } });
  }
}

async function* restOf(stream: AsyncIterator<ConvertRequest>): AsyncIterable<Uint8Array> {
  for (let next = await stream.next(); next.done !== true; next = await stream.next()) {
    if (next.value.part.case !== "chunk") throw new FilemillError("BAD_REQUEST", "Send `start` once, then chunks only.");
    yield next.value.part.value;
  }
}

/** The job owns the input from its creation on. Until then, this code does. */
async function createJob(parts: RpcParts, start: ConvertStart, input: Blob): Promise<Job> {
  try {
    const from = start.from === "" ? await sourceFormatOf(parts, start, input) : start.from;
    const { accountId, to, options, inputPassword, outputPassword } = start;
    const asked = { accountId, from, to, options, input, sourceName: start.fileName, inputPassword, outputPassword };
    const { job } = await parts.jobs.createJob(asked);
    if (job === undefined) throw new FilemillError("INTERNAL", "The job service answered without a job.");
    return job;
  } catch (error) {
    await parts.blobs.remove(input.id);
    throw error;
  }
}

async function tellBlob({ blobs, tell, newPath }: RpcParts, blob: Blob, fileName: string): ReturnType<Converter["tell"]> {
  await using file = await blobs.fetch(blob, newPath("upload"));
  return await tell(file.path, fileName);
}

async function sourceFormatOf(parts: RpcParts, { fileName }: ConvertStart, input: Blob): Promise<string> {
  if (input.sizeBytes === 0n) throw new FilemillError("INVALID_INPUT", "The file is empty.");
  const { format } = await tellBlob(parts, input, fileName);
  if (format !== undefined) return format;
  throw new FilemillError("UNKNOWN_SOURCE_FORMAT", "The file's format cannot be told from its content or name; name it in `from`.");
}

/** The result of a finished job, or the reason why there is none. */
function resultOf(job: Job | undefined): Blob {
  switch (job?.state) {
    case JobState.DONE:
      if (job.result !== undefined) return job.result;
      break;
    case JobState.FAILED: {
      const reason = job.error === undefined ? "INTERNAL" : codeOf(job.error.reason);
      throw new FilemillError("JOB_FAILED", "The job failed; it has no result.", { details: { reason } });
    }
    case JobState.CANCELLED:
      throw new FilemillError("JOB_CANCELLED", "The job was cancelled; it has no result.");
    case JobState.EXPIRED:
      throw new FilemillError("RESULT_EXPIRED", "The result has expired and was deleted.");
    case JobState.QUEUED:
    case JobState.RUNNING:
      throw new FilemillError("JOB_NOT_DONE", "The job is not finished yet.");
    default:
      break;
  }
  throw new FilemillError("INTERNAL", "The job has no result.");
}

/** Pieces of 256 KiB, a good size for messages, whatever the size of the store's reads. */
async function* blobChunks(blobs: BlobStore, blob: Blob, range?: ByteRange): AsyncIterable<Uint8Array> {
  const source = await blobs.read(blob.id, range);
  try {
    for await (const piece of source) {
      if (!(piece instanceof Uint8Array)) throw new FilemillError("INTERNAL", "The blob store gave text for bytes.");
      for (let from = 0; from < piece.length; from += chunkBytes) yield piece.subarray(from, from + chunkBytes);
    }
  } finally {
    source.destroy();
  }
}
