import type { FastifyRequest } from "fastify";
import { type Handler, type RestContext, sendJson } from "#gateway/exchange/exchange.ts";
import { routeJson } from "./route-json.ts";

/** GET /api/v1/routes/{from}/{to}: one route with its details. */
export const routeHandler: Handler = async (context, request, reply) => {
  return sendJson(reply, 200, { route: await describedRoute(context, pairOf(request)) });
};

/** Rejects with UNSUPPORTED_TARGET, UNSUPPORTED_CONVERSION. */
export async function describedRoute({ deps }: RestContext, pair: { readonly from: string; readonly to: string }) {
  const { route, ...known } = await deps.catalogue.getRoute(pair);
  const { expectedMs } = await deps.jobs.getRouteTime({ from: route?.from ?? "", to: route?.to ?? "" });
  return routeJson(route, known, expectedMs);
}

/** Cuts names that are longer than any format id, so that no large text is passed on or sent back. */
function pairOf({ params }: FastifyRequest): { from: string; to: string } {
  const given: Record<string, unknown> = { ...(typeof params === "object" ? params : {}) };
  return { from: String(given.from).slice(0, 64), to: String(given.to).slice(0, 64) };
}
