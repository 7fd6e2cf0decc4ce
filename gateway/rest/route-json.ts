import { FilemillError } from "#contract/errors.ts";
import { fidelityWordOf, optionJson } from "#gateway/exchange/catalogue-view.ts";
import type { GetRouteResponse, Route, RouteProof } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";

type Known = Pick<GetRouteResponse, "hops" | "proof" | "expectedNotes">;

/** @param expectedMs - Recent run time on this deployment, if known. */
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
    // Without recent conversions here, the time that the proof took.
    estimateMs: expectedMs ?? (proof === undefined ? null : Math.max(1, Math.round(proof.ms))),
    proof: proof === undefined ? null : measuredJson(proof),
  };
}

function measuredJson({ figures, reader, sample, ms, date }: RouteProof) {
  return { figures: { ...figures }, reader, sample, ms, date };
}
