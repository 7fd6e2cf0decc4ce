import { resolve } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { collectDefaultMetrics, Registry } from "prom-client";
import type { BrokerUser } from "#contract/grants.ts";
import { openBlobs } from "./blobs/open-blobs.ts";
import type { BlobStore } from "./blobs/store.ts";
import { measureFloor } from "./floor-metrics.ts";
import type { Log } from "./log.ts";
import { type BrokerHost, openBroker } from "./nats/broker.ts";
import type { Cluster } from "./nats/cluster.ts";
import type { Broker, Channel } from "./nats/ports.ts";
import { createProbe, type Probe } from "./probe.ts";
import { ensureRpcToken } from "./rpc/access.ts";
import { type RpcTls, readRpcTls } from "./rpc/tls.ts";
import type { Settings } from "./settings.ts";

/** The settings with the token of the internal services, whether it was set or created, and the content of their certificate files. */
export type FloorSettings = Settings & { readonly RPC_TOKEN: string; readonly rpcTls: RpcTls | undefined };

/** What every process needs, whichever services it runs. */
export type Floor = AsyncDisposable & {
  readonly settings: FloorSettings;
  readonly log: Log;
  readonly metrics: Registry;
  /** With the rights of one of the services that the floor was opened for. */
  brokerOf(service: BrokerUser): Broker;
  readonly blobs: BlobStore;
  /** To other gateways on the same NATS. */
  openCounts(): Channel | undefined;
  /** Of the broker, if there is one, and of the blob store. */
  readonly probes: readonly Probe[];
};

/**
 * Opens the blob store, the metrics and, if a service needs it, the broker. Rejects with UNAVAILABLE if the broker is unavailable, and with
 * a SettingError if the token of the internal services is readable by others or their certificates are invalid.
 */
export async function openFloor(settings: Settings, log: Log, services: readonly BrokerUser[]): Promise<Floor> {
  const dataDir = resolve(settings.DATA_DIR);
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  const tracing = endpoint === undefined ? undefined : (await import("./otlp-tracer.ts")).startTracing(endpoint);
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  measureFloor(metrics, dataDir);
  const sending =
    endpoint === undefined
      ? undefined
      : (await import("./otlp-metrics.ts")).startMetrics(metrics, { endpoint, everyMs: settings.OTEL_METRIC_EXPORT_INTERVAL });
  const blobs = await openBlobs(settings, log.with({ part: "blobs" }));
  const [token, rpcTls] = await Promise.all([ensureRpcToken(settings), readRpcTls(settings)]);
  const brokers = services.length === 0 ? undefined : await openBrokers(settings, dataDir, log.with({ part: "broker" }), services);
  return {
    settings: { ...settings, RPC_TOKEN: token, rpcTls },
    log,
    metrics,
    blobs,
    openCounts: () => brokers?.openCounts(),
    probes: [
      ...(brokers === undefined ? [] : [createProbe("broker", () => brokers.healthy(), log, { limitMs: probeLimitMs })]),
      createProbe("blobs", () => tryBlobs(blobs), log, { limitMs: probeLimitMs }),
    ],
    brokerOf(service) {
      const broker = brokers?.of.get(service);
      if (broker === undefined) throw new TypeError(`the floor was not opened for the service ${service}`);
      return broker;
    },
    async [Symbol.asyncDispose]() {
      await brokers?.[Symbol.asyncDispose]();
      await sending?.[Symbol.asyncDispose]();
      await tracing?.[Symbol.asyncDispose]();
    },
  };
}

const probeLimitMs = 5000;

/** Reads the way a download does, so that the content does not come from the cache in memory. */
async function tryBlobs(blobs: BlobStore): Promise<void> {
  const blob = await blobs.write(Readable.from([Buffer.from("probe")]));
  try {
    await buffer(await blobs.read(blob.id));
  } finally {
    await blobs.remove(blob.id);
  }
}

type Brokers = AsyncDisposable &
  Pick<BrokerHost, "openCounts"> & { healthy(): Promise<boolean>; readonly of: ReadonlyMap<BrokerUser, Broker> };

async function openBrokers(settings: Settings, dataDir: string, log: Log, services: readonly BrokerUser[]): Promise<Brokers> {
  await using stack = new AsyncDisposableStack();
  const host = stack.use(await openBroker({ dataDir, cluster: clusterOf(settings), log }));
  const of = new Map(await Promise.all(services.map(async (service) => [service, await host.as(service)] as const)));
  const owned = stack.move();
  return { of, openCounts: host.openCounts, healthy: () => host.healthy(), [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The external server or cluster that the settings name. */
export function clusterOf({ NATS_URL, NATS_REPLICAS, NATS_CREDS, NATS_CA, NATS_CERT, NATS_KEY }: Settings): Cluster | undefined {
  if (NATS_URL === undefined) return undefined;
  return { url: NATS_URL, replicas: NATS_REPLICAS, credentials: NATS_CREDS, ca: NATS_CA, certificate: NATS_CERT, key: NATS_KEY };
}
