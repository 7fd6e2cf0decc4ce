/** Stores a file that arrives as plain bytes, without a form. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";
import type { Passage } from "#gateway/access/budget.ts";
import { bodyTooSlow, watchBodyPace } from "#gateway/http/body-pace.ts";
import type { Blob } from "#gen/filemill/common/v1/blob_pb.ts";
import type { BlobStore } from "#kit/blobs/store.ts";
import { following } from "#kit/following.ts";
import { type Ceiling, discard, tooLarge } from "./upload.ts";

export type StoreRules = {
  readonly blobs: BlobStore;
  readonly ceiling: Ceiling;
  readonly passage: Pick<Passage, "count">;
  readonly signal: AbortSignal;
};

/**
 * Streams bytes into the blob store and counts them against the payer's budget. Rejects with INPUT_TOO_LARGE, QUOTA_EXCEEDED, INVALID_INPUT
 * (empty file), UNAVAILABLE, the signal's reason, or the FilemillError that the source throws. Nothing is kept then.
 *
 * @param broken - Creates the error for any other failure of the source.
 */
export async function storeBytes(source: AsyncIterable<Uint8Array>, rules: StoreRules, broken: () => FilemillError): Promise<Blob> {
  using over = following(rules.signal);
  const failed: { source?: unknown } = {};
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of source) {
        rules.passage.count(chunk.length, (error) => over.abort(error));
        yield chunk;
      }
    } catch (error) {
      failed.source = error;
      throw error;
    }
  }
  const { blobs, ceiling } = rules;
  const blob = await blobs.write(counted(), { maxBytes: ceiling.limitMb * 1e6, signal: over.signal }).catch((error: unknown) => {
    if (over.signal.aborted) throw over.signal.reason;
    if (failed.source instanceof FilemillError) throw failed.source;
    if (failed.source !== undefined) throw broken();
    throw error instanceof FilemillError && error.code === "INPUT_TOO_LARGE" ? tooLarge(ceiling) : error;
  });
  if (blob.sizeBytes > 0n) return blob;
  await discard(blobs, blob.id);
  throw new FilemillError("INVALID_INPUT", "The file is empty; send one with content.");
}

/** Stores the body of a request. */
export async function storeBody(request: FastifyRequest, reply: FastifyReply, rules: StoreRules): Promise<Blob> {
  const { raw } = request;
  if (/^100-continue$/i.test(request.headers.expect ?? "")) reply.raw.writeContinue();
  using slow = following(rules.signal);
  using _pace = watchBodyPace(raw, () => slow.abort(bodyTooSlow()));
  // By default, leaving the iterator early destroys the request and its connection before the refusal is sent.
  const source = raw.iterator({ destroyOnReturn: false });
  return storeBytes(source, { ...rules, signal: slow.signal }, cutOff);
}

function cutOff(): FilemillError {
  return new FilemillError("BAD_REQUEST", "The body was cut off; send it again.");
}
