import { CatalogueService, type Manifest } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { FilemillError } from "#kit/errors.ts";
import type { Log } from "#kit/log.ts";
import type { Broker } from "#kit/nats/ports.ts";
import { notReady } from "#kit/readiness.ts";
import type { Service } from "#kit/service.ts";
import { openManifestBucket, watchManifests } from "./adapters/manifests.ts";
import { catalogueOf } from "./domain/catalogue.ts";
import { type Proof, versionFamilyOf } from "./domain/proof.ts";
import { type CatalogueState, createCatalogueRpc } from "./rpc.ts";

export { readProof } from "./adapters/proof-file.ts";
export { catalogueOf, type PlanQuery } from "./domain/catalogue.ts";

export type CatalogueDeps = {
  readonly broker: Broker;
  readonly log: Log;
  /** What may be listed, read once at the start; undefined: whatever engines announce. */
  proof(): Promise<Proof | undefined>;
};

/** Formats and routes of the engines that are announced now, as far as they are proven. Ready when there is a route. */
export function createCatalogueService({ broker, log, proof: readProofs }: CatalogueDeps): Service {
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
      const proof = await readProofs();
      if (proof === undefined) log.warn("catalogue.not_proven", { advice: "npm run prove" });
      const compute = () => {
        const manifests = watched.current();
        const catalogue = catalogueOf(manifests, proof);
        for (const unproven of unprovenEngines(manifests, proof)) log.warn("catalogue.unproven", unproven);
        state = { catalogue, manifests: watched.current };
        log.info("catalogue.changed", { nodes: manifests.length, routes: catalogue.routeCount });
      };
      const watched = stack.use(await watchManifests(await openManifestBucket(broker), () => compute()));
      compute();
    },
    drain: async () => undefined,
    readiness: () => (state !== undefined && state.catalogue.routeCount > 0 ? { ready: true } : notReady("engines")),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Engines whose version nobody proved: none of their routes is listed, and whoever runs this node should know why. */
function unprovenEngines(manifests: readonly Manifest[], proof: Proof | undefined) {
  if (proof === undefined) return [];
  return manifests.flatMap(({ node, engines }) =>
    engines.flatMap(({ id, version }) => {
      const proven = proof.provenVersion(id);
      if (proven !== undefined && versionFamilyOf(proven) === versionFamilyOf(version)) return [];
      return [{ node, engine: id, version, proven: proven ?? "none", advice: "npm run prove -- --local" }];
    }),
  );
}
