import { join, resolve } from "node:path";
import { collectDefaultMetrics, Registry } from "prom-client";
import { openDiskBlobStore } from "./blobs/disk-store.ts";
import type { BlobStore } from "./blobs/store.ts";
import type { Log } from "./log.ts";
import { openBroker } from "./nats/broker.ts";
import type { Broker } from "./nats/ports.ts";
import type { Settings } from "./settings.ts";

/** What every process stands on, whichever services it runs. */
export type Floor = AsyncDisposable & {
  readonly settings: Settings;
  readonly log: Log;
  readonly metrics: Registry;
  readonly broker: Broker;
  readonly blobs: BlobStore;
};

/** Opens broker, blob store and metrics. Rejects with UNAVAILABLE when the broker cannot be had. */
export async function openFloor(settings: Settings, log: Log): Promise<Floor> {
  const dataDir = resolve(settings.DATA_DIR);
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const blobs = await openDiskBlobStore(join(dataDir, "blobs"));
  const broker = await openBroker({ dataDir, natsUrl: settings.NATS_URL, log: log.with({ part: "broker" }) });
  return {
    settings,
    log,
    metrics,
    broker,
    blobs,
    async [Symbol.asyncDispose]() {
      await broker[Symbol.asyncDispose]();
    },
  };
}
