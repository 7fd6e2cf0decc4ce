import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Encoding, encodingOf } from "./accept.ts";
import { noneMatchHits } from "./validators.ts";

/** One body in each content coding, with its strong ETag. */
export type Compressed = Readonly<Record<Encoding, { readonly body: Buffer; readonly etag: string }>>;

/** @param brotliQuality - 1 to 11; 5 takes about a millisecond for 50 KB. */
export async function compressedOf(body: Buffer, brotliQuality: number): Promise<Compressed> {
  const digest = createHash("sha256").update(body).digest("hex").slice(0, 32);
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  const [br, gz] = await Promise.all([promisify(brotliCompress)(body, { params }), promisify(gzip)(body)]);
  return {
    identity: { body, etag: `"${digest}"` },
    br: { body: br, etag: `"${digest}-br"` },
    gzip: { body: gz, etag: `"${digest}-gz"` },
  };
}

/**
 * Answers in the client's preferred content coding, or with 304. The caller sets Cache-Control and other headers; an existing Vary is
 * extended.
 */
export function sendCompressed(request: FastifyRequest, reply: FastifyReply, contentType: string, compressed: Compressed): FastifyReply {
  const encoding = encodingOf(request.headers["accept-encoding"]);
  const { body, etag } = compressed[encoding];
  const varies = reply.getHeader("vary");
  reply.headers({ etag, vary: varies === undefined ? "Accept-Encoding" : `Accept-Encoding, ${varies}` });
  if (noneMatchHits(request.headers["if-none-match"], etag)) return reply.code(304).send();
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply.header("content-type", contentType).send(body);
}
