import type { Floor } from "../floor.ts";
import type { Readiness, Service } from "../service.ts";
import { openRpcServer, type RpcServer } from "./server.ts";

/** The RPC port of a process: every service that runs in it. */
export function openServicesServer(floor: Floor, services: readonly Service[], readiness: () => Readiness): Promise<RpcServer> {
  const { settings, log } = floor;
  return openRpcServer({
    host: settings.RPC_HOST,
    port: settings.RPC_PORT,
    token: settings.RPC_TOKEN,
    routes: (router) => {
      for (const service of services) service.routes(router);
    },
    isReady: () => readiness().ready,
    log: log.with({ part: "rpc" }),
  });
}
