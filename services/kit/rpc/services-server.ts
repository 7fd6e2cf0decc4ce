import { join, resolve } from "node:path";
import type { Floor } from "../floor.ts";
import type { Readiness, Service } from "../service.ts";
import type { Settings } from "../settings.ts";
import { openRpcServer, type RpcServer } from "./server.ts";

/** Path of the Unix socket: RPC_SOCKET, otherwise the default under DATA_DIR. */
export function rpcSocketOf({ DATA_DIR, RPC_SOCKET }: Pick<Settings, "DATA_DIR" | "RPC_SOCKET">): string {
  return RPC_SOCKET === undefined ? join(resolve(DATA_DIR), "rpc.sock") : resolve(RPC_SOCKET);
}

/**
 * The RPC port of a process, for every service that runs in it.
 *
 * @param isMain - Uses the socket's default path under DATA_DIR, unless another process that shares DATA_DIR has it.
 */
export function openServicesServer(
  floor: Floor,
  services: readonly Service[],
  readiness: () => Promise<Readiness>,
  isMain: boolean,
): Promise<RpcServer> {
  const { settings, log } = floor;
  const isNeeded = settings.RPC_SOCKET !== undefined;
  return openRpcServer({
    host: settings.RPC_HOST,
    port: settings.RPC_PORT,
    socket: isNeeded || isMain ? { path: rpcSocketOf(settings), isNeeded } : undefined,
    token: settings.RPC_TOKEN,
    tls: settings.rpcTls,
    routes: (router) => {
      for (const service of services) service.routes(router);
    },
    isReady: async () => (await readiness()).ready,
    metrics: floor.metrics,
    log: log.with({ part: "rpc" }),
  });
}
