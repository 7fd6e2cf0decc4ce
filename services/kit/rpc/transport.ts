import type { Interceptor, Transport } from "@connectrpc/connect";
import { SettingError } from "../config.ts";
import type { FloorSettings } from "../floor.ts";
import type { Log } from "../log.ts";
import type { Service } from "../service.ts";
import { grpcTransport } from "./grpc-transport.ts";
import { localTransport } from "./local-transport.ts";
import type { RpcTls } from "./tls.ts";
import { traceCall } from "./traced-calls.ts";

type PeerName = "ACCOUNT_ADDRESS" | "CATALOGUE_ADDRESS" | "CONVERSION_ADDRESS" | "JOB_ADDRESS" | "WEBHOOK_ADDRESS";

/**
 * gRPC over HTTP/2 to another process. Nothing is compressed, because large data already is.
 *
 * @param address - A URL, or `unix:` and the path of a socket.
 * @param tls - The certificate shown to an https address, and the authority to trust. Default: the authorities that Node trusts.
 */
export function remoteTransport(address: string, token: string, tls?: RpcTls): Transport {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
  return grpcTransport(address, tls, [traceCall, authorize]);
}

/** The transport to a peer: direct if its service runs in this process, otherwise to its address. */
export function transportFor(peer: PeerName, settings: FloorSettings, local: Service | undefined, log: Log): Transport {
  return local === undefined ? peerTransport(peer, settings) : localTransport((router) => local.routes(router), log);
}

/** The transport to a peer in another process. Throws a SettingError if its address is `local`. */
export function peerTransport(peer: PeerName, settings: FloorSettings): Transport {
  const address = settings[peer];
  if (address === "local") throw new SettingError(`${peer} must be the URL of that service when it does not run in this process.`);
  if (settings.rpcTls !== undefined && !address.startsWith("https:"))
    throw new SettingError(`${peer} must be an https URL when RPC_CERT is set, not ${address}: the token would be sent in clear text.`);
  return remoteTransport(address, settings.RPC_TOKEN, settings.rpcTls);
}
