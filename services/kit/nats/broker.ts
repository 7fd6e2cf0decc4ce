import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectionOptions, KV } from "nats";
import type { Log } from "#kit/log.ts";
import { openBucket, writeAndRead } from "./bucket.ts";
import { createDiskFlush } from "./disk-flush.ts";
import { type EmbeddedServer, openEmbeddedServer } from "./embedded-server.ts";
import { watchFullDisk } from "./full-disk.ts";
import { type Link, openLink } from "./link.ts";
import type { Broker } from "./ports.ts";
import { openWorkQueue } from "./work-queue.ts";

const healthLimitMs = 2000;

export type BrokerOptions = {
  readonly dataDir: string;
  /** nats:// or tls:// URLs separated by commas; undefined: a server of our own under `dataDir`. */
  readonly natsUrl?: string | undefined;
  readonly log: Log;
  readonly signal?: AbortSignal;
};

/**
 * Connects to NATS, and starts it first when there is no `natsUrl`. With a URL it waits until the server is there.
 * Rejects with UNAVAILABLE when the embedded server is not installed, does not start, or DATA_DIR is in use.
 */
export async function openBroker(options: BrokerOptions): Promise<Broker> {
  const { dataDir, natsUrl, log, signal } = options;
  await using stack = new AsyncDisposableStack();
  const server = natsUrl === undefined ? stack.use(await openEmbeddedServer(dataDir, log, signal)) : undefined;
  if (natsUrl !== undefined) log.info("broker.connecting");
  const link = stack.use(await openLink(server === undefined ? externalOptions(natsUrl ?? "") : embeddedOptions(server), log, signal));
  if (server !== undefined) stack.use(watchFullDisk(server.dir, () => server.restart(), log));
  const owned = stack.move();
  const replicas = replicasOf(link);
  const flush = server === undefined ? async () => undefined : createDiskFlush(dataDir);
  return {
    embedded: server !== undefined,
    serverVersion: link.nc.info?.version ?? "",
    bucket: (name, codec, { ttlMs } = {}) => openBucket(link, codec, { name, ttlMs, replicas, direct: replicas === 1 }, log),
    workQueue: (name, lanes, { ackWaitMs }) => openWorkQueue(link, { name, lanes, ackWaitMs, replicas }, log),
    flushToDisk: flush,
    healthy: createHealthCheck(link),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function embeddedOptions(server: EmbeddedServer): ConnectionOptions {
  return { servers: `127.0.0.1:${server.port}`, user: server.user, pass: server.password };
}

/** The client reads credentials from its options only, not from the URL. */
function externalOptions(natsUrl: string): ConnectionOptions {
  const urls = natsUrl.split(",").map((text) => new URL(text.trim()));
  const user = decodeURIComponent(urls[0]?.username ?? "");
  const pass = decodeURIComponent(urls[0]?.password ?? "");
  const credentials = user === "" ? {} : pass === "" ? { token: user } : { user, pass };
  const secure = urls.some((url) => url.protocol === "tls:");
  return { servers: urls.map((url) => url.host), ...credentials, ...(secure ? { tls: {} } : {}), waitOnFirstConnect: true };
}

/** Three copies where there are three servers. */
function replicasOf(link: Link): number {
  const { cluster, connect_urls: peers } = link.nc.info ?? {};
  return cluster !== undefined && (peers?.length ?? 0) >= 3 ? 3 : 1;
}

function createHealthCheck(link: Link): () => Promise<boolean> {
  const key = `k${link.nc.getServer().replaceAll(/[^0-9a-z]/gi, "_")}_${process.pid}`;
  let kv: KV | undefined;
  const check = async (): Promise<boolean> => {
    kv ??= await link.js.views.kv("health", { history: 1, ttl: 120_000 });
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
