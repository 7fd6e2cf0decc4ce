import type { Client } from "@connectrpc/connect";
import { FilemillError, throwKnown } from "#contract/errors.ts";
import type { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { Planner } from "../domain/ports.ts";

/** Gets plans from the catalogue service, or its error if there is no route. */
export function createPlanner(catalogue: Client<typeof CatalogueService>, lanes: readonly string[]): Planner {
  return async (request) => {
    const { plan } = await catalogue.planRoute(request).catch(throwKnown);
    // No worker serves a lane that the queue does not have.
    if (plan === undefined || !lanes.includes(plan.lane)) throw new FilemillError("INTERNAL", "Something went wrong on our side.");
    return plan;
  };
}
