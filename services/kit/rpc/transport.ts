import type { Interceptor, Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { SettingError } from "../config.ts";
import type { Log } from "../log.ts";
import type { Service } from "../service.ts";
import type { Settings } from "../settings.ts";
import { localTransport } from "./local-transport.ts";

/** Largest message either side accepts. Bytes travel in chunks far below this. */
export const maxMessageBytes = 8 * 1024 * 1024;

type PeerName = "ACCOUNT_ADDRESS" | "CATALOGUE_ADDRESS" | "CONVERSION_ADDRESS" | "JOB_ADDRESS" | "WEBHOOK_ADDRESS";

/** gRPC over h2c to another process. Nothing is compressed: what is large is compressed already. */
export function remoteTransport(baseUrl: string, token: string | undefined): Transport {
  const authorize: Interceptor = (next) => (request) => {
    if (token !== undefined) request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
  return createGrpcTransport({ baseUrl, acceptCompression: [], readMaxBytes: maxMessageBytes, interceptors: [authorize] });
}

/** The transport to a peer: its service when it is in this process, else its address. */
export function transportFor(peer: PeerName, settings: Settings, local: Service | undefined, log: Log): Transport {
  return local === undefined ? peerTransport(peer, settings) : localTransport((router) => local.routes(router), log);
}

/** The transport to a peer in another process. Throws a SettingError when its address is `local`. */
export function peerTransport(peer: PeerName, settings: Settings): Transport {
  const address = settings[peer];
  if (address === "local") throw new SettingError(`${peer} must be the URL of that service when it does not run in this process.`);
  return remoteTransport(address, settings.RPC_TOKEN);
}
