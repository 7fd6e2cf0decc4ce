import { type AccountEndpointId, accountEndpoints } from "#gateway/account/endpoints.ts";
import type { Endpoint } from "#gateway/exchange/endpoint.ts";
import { type OperatorEndpointId, operatorEndpoints } from "#gateway/operator/endpoints.ts";
import { type EndpointId, endpoints } from "./endpoints.ts";

/** An endpoint at one address. */
export type Mount = {
  readonly id: EndpointId | AccountEndpointId | OperatorEndpointId;
  readonly endpoint: Endpoint;
  /** `key`: for programs with an API key. `page`: for Filemill's own pages, with cookies. */
  readonly door: "key" | "page";
};

/** All addresses: the API, the API endpoints that pages share, and the endpoints only for pages. */
export const mounts: readonly Mount[] = [
  ...entriesOf<EndpointId>(endpoints).flatMap(([id, endpoint]): Mount[] => {
    const mount: Mount = { id, endpoint, door: "key" };
    const twin = { ...endpoint, path: endpoint.path.replace("/api/", "/web/") };
    return endpoint.forPages === true ? [mount, { id, endpoint: twin, door: "page" }] : [mount];
  }),
  ...entriesOf<AccountEndpointId>(accountEndpoints).map(([id, endpoint]): Mount => ({ id, endpoint, door: "page" })),
  ...entriesOf<OperatorEndpointId>(operatorEndpoints).map(([id, endpoint]): Mount => ({ id, endpoint, door: "page" })),
];

function entriesOf<Id extends string>(table: Readonly<Record<Id, Endpoint>>): [Id, Endpoint][] {
  return Object.entries(table) as [Id, Endpoint][];
}
