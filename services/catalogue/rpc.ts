import type { ServiceImpl } from "@connectrpc/connect";
import type { CatalogueService, Manifest } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { Catalogue } from "./domain/catalogue.ts";

export type CatalogueState = { readonly catalogue: Catalogue; manifests(): readonly Manifest[] };

/** `state` throws UNAVAILABLE until the service has started. */
export function createCatalogueRpc(state: () => CatalogueState): ServiceImpl<typeof CatalogueService> {
  return {
    getCatalogue({ knownRevision }) {
      const list = state().catalogue.list();
      return list.revision === knownRevision ? { revision: list.revision } : list;
    },
    getRoute: (request) => state().catalogue.route(request),
    planRoute: (request) => ({ plan: state().catalogue.plan(request) }),
    listManifests: () => ({ manifests: [...state().manifests()] }),
  };
}
