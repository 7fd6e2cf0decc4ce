import { encodingOf } from "#gateway/http/accept.ts";
import { noneMatchHits } from "#gateway/http/validators.ts";
import type { Handler, RestContext } from "./exchange.ts";

/** GET /api/v1/formats: what this deployment can do now. */
export function formatsHandler(context: RestContext): Handler {
  return async (request, reply) => {
    const view = await context.views.current();
    const encoding = encodingOf(request.headers["accept-encoding"]);
    const { body, etag } = view.representations[encoding];
    reply.headers({ "cache-control": "public, max-age=3600", etag, vary: "Accept-Encoding" });
    if (noneMatchHits(request.headers["if-none-match"], etag)) return reply.code(304).send();
    if (encoding !== "identity") reply.header("content-encoding", encoding);
    return reply.header("content-type", "application/json").send(body);
  };
}
