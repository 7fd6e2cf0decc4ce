/** The records of an installation, whether it is running or not. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import { ownerUser } from "#contract/grants.ts";
import { clusterOf } from "#kit/floor.ts";
import type { Log } from "#kit/log.ts";
import { type BrokerHost, openBroker } from "#kit/nats/broker.ts";
import { rpcSocketOf } from "#kit/rpc/services-server.ts";
import { stateAt } from "#kit/rpc/unix-socket.ts";
import type { Settings } from "#kit/settings.ts";

/** Whether a service runs on this DATA_DIR. */
export async function isRunning(settings: Settings): Promise<boolean> {
  return (await stateAt(rpcSocketOf(settings))) !== "dead";
}

/** Connects to the running service's broker as the owner of the records, or starts the embedded broker if no service runs. */
export async function openRecords(settings: Settings, log: Log): Promise<BrokerHost> {
  const dataDir = resolve(settings.DATA_DIR);
  const cluster = clusterOf(settings);
  if (cluster !== undefined) return openBroker({ dataDir, cluster, log });
  if (!(await isRunning(settings))) return openBroker({ dataDir, log });
  const [config, password] = await Promise.all(
    ["server.conf", "password"].map((name) => readFile(join(dataDir, "nats", name), "utf8")),
  ).catch((cause: unknown) => {
    throw new FilemillError(
      "UNAVAILABLE",
      "The broker's files under DATA_DIR cannot be read: run this as the user that Filemill runs as.",
      {
        cause,
      },
    );
  });
  const port = /^port: (\d+)$/m.exec(config ?? "")?.[1] ?? "";
  return openBroker({ dataDir, cluster: { url: `nats://${ownerUser}:${password}@127.0.0.1:${port}`, replicas: 1 }, log });
}
