import { FilemillError } from "#contract/errors.ts";
import { CatalogueService, type Manifest } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { Log } from "#kit/log.ts";
import type { Broker } from "#kit/nats/ports.ts";
import { notReady } from "#kit/readiness.ts";
import type { ProvingProgress, Service } from "#kit/service.ts";
import { openManifestBucket, watchManifests } from "./adapters/manifests.ts";
import type { Proofs } from "./adapters/proof-file.ts";
import { catalogueOf } from "./domain/catalogue.ts";
import { createFormerCatalogues } from "./domain/former.ts";
import type { Proof } from "./domain/proof.ts";
import { type CatalogueState, createCatalogueRpc } from "./rpc.ts";

export { openProofs, type Proofs, readProofOf } from "./adapters/proof-file.ts";
export { catalogueOf, type PlanQuery } from "./domain/catalogue.ts";
export { mayServe } from "./domain/passages.ts";

export type CatalogueDeps = {
  readonly broker: Broker;
  readonly log: Log;
  /** What may be listed. Read at start-up, and again when more was proven on this machine. */
  readonly proofs: Proofs;
};

/** Formats and proven routes of the currently announced engines. Ready when there is a route. */
export function createCatalogueService({ broker, log, proofs }: CatalogueDeps): Service {
  const stack = new AsyncDisposableStack();
  let state: CatalogueState | undefined;
  let unproven: readonly string[] = [];
  let proving: ProvingProgress | undefined;
  const started = (): CatalogueState => {
    if (state !== undefined) return state;
    throw new FilemillError("UNAVAILABLE", "The catalogue is not ready yet; try again.", { retryAfterMs: 1000 });
  };
  return {
    name: "catalogue",
    routes: (router) => void router.service(CatalogueService, createCatalogueRpc(started)),
    async start() {
      let known = await proofs.state();
      let otherSystems = false;
      let proof = await proofs.read({ otherSystems });
      proving = known.proving;
      if (proof === undefined) log.warn("catalogue.not_proven", { advice: "npm run prove" });
      const withFormer = createFormerCatalogues();
      const unreadable = (err: unknown) => {
        log.warn("catalogue.proof_unreadable", { err });
        return proof;
      };
      const compute = async () => {
        const manifests = watched.current();
        if (!otherSystems && unprovenEngines(manifests, proof).length > 0) {
          otherSystems = true;
          proof = await proofs.read({ otherSystems }).catch(unreadable);
        }
        const catalogue = catalogueOf(manifests, proof);
        const now = unprovenEngines(manifests, proof);
        for (const engine of now) if (!unproven.includes(engine)) log.warn("catalogue.unproven", { engine });
        unproven = now;
        state = { catalogue: withFormer(catalogue), manifests: watched.current };
        log.info("catalogue.changed", { nodes: manifests.length, routes: catalogue.routeCount });
      };
      const update = oneAfterTheOther(compute);
      const watched = stack.use(await watchManifests(await openManifestBucket(broker), () => void update()));
      await update();
      const look = async () => {
        const now = await proofs.state();
        proving = now.proving;
        if (now.stamp === known.stamp) return;
        proof = await proofs.read({ otherSystems }).catch(unreadable);
        known = now;
        await update();
      };
      const lookAgain = () => void look().catch((err: unknown) => log.warn("catalogue.look_failed", { err }));
      stack.use(setInterval(lookAgain, lookEveryMs).unref());
    },
    drain: async () => undefined,
    readiness: () => ({
      ...(state !== undefined && state.catalogue.routeCount > 0 ? { ready: true } : notReady("engines")),
      ...(unproven.length === 0 ? {} : { unproven }),
      ...(proving === undefined ? {} : { proving }),
    }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Engines whose version was not proven. None of their routes is listed, and the operator should know why. */
function unprovenEngines(manifests: readonly Manifest[], proof: Proof | undefined): readonly string[] {
  if (proof === undefined) return [];
  const engines = manifests.flatMap(({ engines }) => engines.filter(({ id, version }) => !proof.isProven(id, version)));
  return [...new Set(engines.map(({ id, version }) => `${id} ${version}`))];
}

/** Runs computations in the order in which they were requested. */
function oneAfterTheOther(compute: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(compute);
    return last;
  };
}

const lookEveryMs = 2000;
