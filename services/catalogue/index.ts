import { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { FilemillError } from "#kit/errors.ts";
import type { Log } from "#kit/log.ts";
import type { Broker } from "#kit/nats/ports.ts";
import type { Service } from "#kit/service.ts";
import { openManifestBucket, watchManifests } from "./adapters/manifests.ts";
import { catalogueOf } from "./domain/catalogue.ts";
import { type CatalogueState, createCatalogueRpc } from "./rpc.ts";

export { catalogueOf, type PlanQuery } from "./domain/catalogue.ts";

export type CatalogueDeps = { readonly broker: Broker; readonly log: Log };

/** Formats and routes of the engines that are announced now. Ready when there is a route. */
export function createCatalogueService({ broker, log }: CatalogueDeps): Service {
  const stack = new AsyncDisposableStack();
  let state: CatalogueState | undefined;
  const started = (): CatalogueState => {
    if (state !== undefined) return state;
    throw new FilemillError("UNAVAILABLE", "The catalogue is not ready yet; try again.", { retryAfterMs: 1000 });
  };
  return {
    name: "catalogue",
    routes: (router) => void router.service(CatalogueService, createCatalogueRpc(started)),
    async start() {
      const compute = () => {
        const manifests = watched.current();
        const catalogue = catalogueOf(manifests);
        state = { catalogue, manifests: watched.current };
        log.info("catalogue.changed", { nodes: manifests.length, routes: catalogue.routeCount });
      };
      const watched = stack.use(await watchManifests(await openManifestBucket(broker), () => compute()));
      compute();
    },
    drain: async () => undefined,
    readiness: () => (state !== undefined && state.catalogue.routeCount > 0 ? { ready: true } : { ready: false, part: "engines" }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
