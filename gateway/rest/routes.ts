import type { FastifyRequest } from "fastify";
import type { GetRouteResponse, Route, RouteProof } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { FilemillError } from "#kit/errors.ts";
import { fidelityWordOf, optionJson } from "./catalogue-view.ts";
import { type Handler, type RestContext, sendJson } from "./exchange.ts";

/** GET /api/v1/routes/{from}/{to}: one route, with what is known of it. */
export function routeHandler(context: RestContext): Handler {
  return async (request, reply) => sendJson(reply, 200, { route: await describedRoute(context, pairOf(request)) });
}

/** Rejects with UNSUPPORTED_TARGET, UNSUPPORTED_CONVERSION. */
export async function describedRoute({ deps }: RestContext, pair: { readonly from: string; readonly to: string }) {
  const { route, ...known } = await deps.catalogue.getRoute(pair);
  const { expectedMs } = await deps.jobs.getRouteTime({ from: route?.from ?? "", to: route?.to ?? "" });
  return routeJson(route, known, expectedMs);
}

/** Longer names than any format has are cut, so that nothing of size is sent on or back. */
function pairOf({ params }: FastifyRequest): { from: string; to: string } {
  const given: Record<string, unknown> = { ...(typeof params === "object" ? params : {}) };
  return { from: String(given.from).slice(0, 64), to: String(given.to).slice(0, 64) };
}

export type Known = Pick<GetRouteResponse, "hops" | "proof" | "expectedNotes">;

/** @param expectedMs - What it took here of late, where that is known. */
export function routeJson(route: Route | undefined, { hops, proof, expectedNotes }: Known, expectedMs: number | undefined) {
  if (route === undefined) throw new FilemillError("INTERNAL", "Something went wrong on our side.");
  const { from, to, async, maxInputMb } = route;
  return {
    from,
    to,
    fidelity: fidelityWordOf(route.fidelity),
    async,
    maxInputMb,
    options: route.options.map(optionJson),
    hops: hops.map(({ engine, label, version, from, to, fidelity }) => ({
      ...{ engine, label, version, from, to },
      fidelity: fidelityWordOf(fidelity),
    })),
    expectedNotes: expectedNotes.map(({ code, message }) => ({ code, message })),
    // Before anybody converted anything here, what the proof took.
    estimateMs: expectedMs ?? (proof === undefined ? null : Math.max(1, Math.round(proof.ms))),
    proof: proof === undefined ? null : measuredJson(proof),
  };
}

function measuredJson({ figures, reader, sample, ms, date }: RouteProof) {
  return { figures: { ...figures }, reader, sample, ms, date };
}
