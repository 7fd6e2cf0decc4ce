import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectionOptions, KV } from "nats";
import { assertGranted, type BrokerUser, countsSubject, grants, ownerUser } from "#contract/grants.ts";
import type { Log } from "#kit/log.ts";
import { type BucketSettings, type Ends, openBucket, openStore, writeAndRead } from "./bucket.ts";
import { openChannel } from "./channel.ts";
import { type Cluster, clusterOptions, inboxOf } from "./cluster.ts";
import { createDiskFlush } from "./disk-flush.ts";
import { type EmbeddedServer, openEmbeddedServer } from "./embedded-server.ts";
import { openPatiently } from "./first-connection.ts";
import { watchFullDisk } from "./full-disk.ts";
import { type Link, openLink } from "./link.ts";
import { createLocalWakes, type LocalWakes } from "./local-wakes.ts";
import type { Broker, Channel } from "./ports.ts";
import { openWorkQueue } from "./work-queue.ts";

const healthLimitMs = 2000;
const healthLifeMs = 120_000;

export type BrokerOptions = {
  readonly dataDir: string;
  /** An external server. Undefined: an embedded server under `dataDir`. */
  readonly cluster?: Cluster | undefined;
  readonly log: Log;
  readonly signal?: AbortSignal;
};

/** The connection of the owner, who may create streams, and one per service with only its granted rights. */
export type BrokerHost = Broker & {
  readonly owner: Link;
  /** On the embedded server, each service has its own connection. An external server knows one user for the whole process. */
  as(user: BrokerUser): Promise<Broker>;
  /** Connects processes on an external server. The embedded one has only one process. */
  openCounts(): Channel | undefined;
};

/**
 * Connects to NATS. Without a `cluster`, starts the embedded server first; otherwise waits until one of the cluster's servers is reachable.
 * Rejects with UNAVAILABLE if the embedded server is not installed, does not start, or DATA_DIR is in use, and with a SettingError if
 * the cluster refuses these credentials.
 */
export async function openBroker(options: BrokerOptions): Promise<BrokerHost> {
  const { dataDir, cluster, log, signal } = options;
  await using stack = new AsyncDisposableStack();
  let server: EmbeddedServer | undefined;
  let ownerOptions: ConnectionOptions;
  if (cluster === undefined) {
    server = stack.use(await openEmbeddedServer(dataDir, log, signal));
    ownerOptions = embeddedOptions(server, ownerUser);
  } else {
    log.info("broker.connecting");
    ownerOptions = await clusterOptions(cluster);
  }
  const open = (): Promise<Link> => openLink(ownerOptions, log, signal);
  const owner = stack.use(await (cluster === undefined ? open() : openPatiently(cluster, open, log, signal)));
  if (server !== undefined) stack.use(watchFullDisk(server.dir, () => server.restart(), log));
  const owned = stack.move();
  const wakes = createLocalWakes();
  const replicas = cluster?.replicas ?? replicasOf(owner);
  const common = {
    flushToDisk: server === undefined ? async () => undefined : createDiskFlush(dataDir),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
  return {
    owner,
    openCounts: () => (server === undefined ? openChannel(owner, countsSubject, log) : undefined),
    ...common,
    ...storesOf({ link: owner, owner }, wakes, log, { replicas }),
    async as(user) {
      const link = server === undefined ? owner : owned.use(await openLink(embeddedOptions(server, user), log, signal));
      return { ...common, ...storesOf({ link, owner }, wakes, log, { replicas, user }) };
    },
  };
}

/** @param user - Undefined for the owner, who may open everything. */
function storesOf(
  ends: Ends,
  wakes: LocalWakes,
  log: Log,
  { replicas, user }: { readonly replicas: number; readonly user?: BrokerUser },
): Pick<Broker, "bucket" | "workQueue" | "healthy"> {
  // A replica that lags behind would answer direct reads with old data.
  const direct = ends.owner.nc.info?.cluster === undefined;
  return {
    bucket: async (name, codec, { ttlMs } = {}) => {
      if (user !== undefined) assertGranted(user, name);
      return openBucket(ends, codec, { name, ttlMs, replicas, direct }, log);
    },
    workQueue: async (name, lanes, { ackWaitMs }) => {
      if (user !== undefined && grants[user].queue === undefined) throw new TypeError(`the service ${user} has no business with the queue`);
      return openWorkQueue(ends, { name, lanes, ackWaitMs, replicas }, wakes, log);
    },
    healthy: createHealthCheck(ends, { name: "health", ttlMs: healthLifeMs, replicas, direct }),
  };
}

function embeddedOptions(server: EmbeddedServer, user: typeof ownerUser | BrokerUser): ConnectionOptions {
  return {
    servers: `127.0.0.1:${server.port}`,
    user,
    pass: server.passwords[user],
    name: user,
    ...inboxOf(user),
  };
}

/** Three replicas if three servers are up. A stream that has more keeps them. */
function replicasOf(link: Link): number {
  const { cluster, connect_urls: peers } = link.nc.info ?? {};
  return cluster !== undefined && (peers?.length ?? 0) >= 3 ? 3 : 1;
}

function createHealthCheck(ends: Ends, settings: BucketSettings): () => Promise<boolean> {
  const { link } = ends;
  const key = `k${link.nc.getServer().replaceAll(/[^0-9a-z]/gi, "_")}_${process.pid}`;
  let kv: KV | undefined;
  const check = async (): Promise<boolean> => {
    kv ??= await openStore(ends, settings);
    await writeAndRead(kv, key);
    return true;
  };
  return async () => {
    const timer = new AbortController();
    try {
      const late = sleep(healthLimitMs, false, { signal: timer.signal }).catch(() => false);
      return await Promise.race([link.once(check), late]);
    } catch {
      return false;
    } finally {
      timer.abort();
    }
  };
}
