/** Connects to a running Filemill. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Client, createClient } from "@connectrpc/connect";
import { FilemillError, fromConnectError } from "#contract/errors.ts";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { SignInService } from "#gen/filemill/account/v1/sign_in_pb.ts";
import { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { JobService } from "#gen/filemill/job/v1/job_pb.ts";
import { parseSettings } from "#kit/config.ts";
import { findRpcToken } from "#kit/rpc/access.ts";
import { rpcSocketOf } from "#kit/rpc/services-server.ts";
import { readRpcTls } from "#kit/rpc/tls.ts";
import { remoteTransport } from "#kit/rpc/transport.ts";
import { stateAt } from "#kit/rpc/unix-socket.ts";
import { type Settings, settingTable } from "#kit/settings.ts";
import type { Shell } from "./shell.ts";

export type Peers = {
  readonly accounts: Client<typeof AccountService>;
  readonly signIn: Client<typeof SignInService>;
  readonly catalogue: Client<typeof CatalogueService>;
  readonly jobs: Client<typeof JobService>;
};

/** Calls the running service. Throws its errors as FilemillError. */
export async function askService<T>(shell: Shell, ask: (peers: Peers) => Promise<T>): Promise<T> {
  const settings = parseSettings(settingTable, shell.env);
  const url = await findRpcAddress(settings, shell.env.RPC_PORT !== undefined);
  // Without a token, the service's own error says what to do.
  const transport = remoteTransport(url, (await findRpcToken(settings)) ?? "", await readRpcTls(settings));
  try {
    return await ask({
      accounts: createClient(AccountService, transport),
      signIn: createClient(SignInService, transport),
      catalogue: createClient(CatalogueService, transport),
      jobs: createClient(JobService, transport),
    });
  } catch (error) {
    const known = fromConnectError(error);
    if (known.code !== "UNAVAILABLE") throw known;
    throw new FilemillError("UNAVAILABLE", `Filemill does not answer at ${url}; is it running?`, { cause: error });
  }
}

/**
 * RPC_HOST and RPC_PORT if the port is set, otherwise the service's Unix socket, otherwise the address that the service running on DATA_DIR
 * recorded.
 */
async function findRpcAddress(settings: Settings, isPortSet: boolean): Promise<string> {
  if (isPortSet && settings.RPC_PORT !== 0) {
    const host = settings.RPC_HOST.includes(":") ? `[${settings.RPC_HOST}]` : settings.RPC_HOST;
    return `${settings.RPC_CERT === undefined ? "http" : "https"}://${host}:${settings.RPC_PORT}`;
  }
  const socket = rpcSocketOf(settings);
  if ((await stateAt(socket)) === "open") return `unix:${socket}`;
  const { rpcUrl: url } = await readRunFile(settings.DATA_DIR);
  if (url !== undefined) return url;
  throw new FilemillError("UNAVAILABLE", "Filemill is not running on this DATA_DIR; start it, or set RPC_HOST and RPC_PORT.");
}

/** The URL that people use: PUBLIC_URL, otherwise the one that the service recorded, otherwise the listening address from the settings. */
export async function findPublicUrl(env: Shell["env"]): Promise<string> {
  const settings = parseSettings(settingTable, env);
  const { restUrl } = await readRunFile(settings.DATA_DIR);
  return settings.PUBLIC_URL ?? restUrl ?? `http://${settings.HOST}:${settings.PORT}`;
}

async function readRunFile(dataDir: string): Promise<{ rpcUrl?: string; restUrl?: string }> {
  try {
    const run: unknown = JSON.parse(await readFile(join(resolve(dataDir), "run.json"), "utf8"));
    if (typeof run !== "object" || run === null) return {};
    return {
      ...("rpcUrl" in run && typeof run.rpcUrl === "string" ? { rpcUrl: run.rpcUrl } : {}),
      ...("restUrl" in run && typeof run.restUrl === "string" ? { restUrl: run.restUrl } : {}),
    };
  } catch {
    return {};
  }
}
