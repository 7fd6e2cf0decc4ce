import { FilemillError } from "#contract/errors.ts";
import type { Handler } from "#gateway/exchange/exchange.ts";
import { encodingOf } from "#gateway/http/accept.ts";
import { noneMatchHits } from "#gateway/http/validators.ts";

/** GET /api/v1/formats: what this deployment can convert now. */
export const formatsHandler: Handler = async (context, request, reply) => {
  const view = await context.views.current();
  // Clients would cache an empty list for an hour if they asked while engines start or the broker is unreachable.
  if (view.counts.conversions === 0) {
    throw new FilemillError("UNAVAILABLE", "No engine is available right now; try again.", { retryAfterMs: 5000 });
  }
  const encoding = encodingOf(request.headers["accept-encoding"]);
  const { body, etag } = view.representations[encoding];
  reply.headers({ "cache-control": "public, max-age=3600", etag, vary: "Accept-Encoding" });
  if (noneMatchHits(request.headers["if-none-match"], etag)) return reply.code(304).send();
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply.header("content-type", "application/json").send(body);
};
