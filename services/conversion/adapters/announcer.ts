import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@connectrpc/connect";
import { type CatalogueService, type Manifest, ManifestSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { Log } from "#kit/log.ts";
import { compactCodec } from "#kit/nats/compact-codec.ts";
import type { Broker } from "#kit/nats/ports.ts";

/** An announcement expires unless it is renewed within this time. */
const leaseMs = 30_000;
const renewalMs = 10_000;

export type Announcement = {
  /** Announces what the node can do now. */
  renew(): Promise<void>;
  /** Removes the node from the catalogue. */
  withdraw(): Promise<void>;
};

/** Announces a node's engines and keeps renewing the announcement. Resolves when the first one is stored. */
export async function announce(broker: Broker, manifestOf: () => Manifest, log: Log): Promise<Announcement> {
  const bucket = await broker.bucket("manifests", compactCodec(ManifestSchema), { ttlMs: leaseMs });
  // One message for all renewals: it is encoded once, and receivers recognise it as unchanged.
  let manifest = manifestOf();
  const { node } = manifest;
  let isWithdrawn = false;
  await bucket.put(node, manifest);
  const timer = setInterval(() => {
    bucket.put(node, manifest).then(
      // A renewal in progress during the withdrawal would bring the node back for half a minute.
      () => (isWithdrawn ? bucket.remove(node) : undefined),
      (error: unknown) => log.warn("manifest.renewal_failed", { err: error }),
    );
  }, renewalMs).unref();
  return {
    async renew() {
      manifest = manifestOf();
      if (!isWithdrawn) await bucket.put(node, manifest);
    },
    async withdraw() {
      if (isWithdrawn) return;
      isWithdrawn = true;
      clearInterval(timer);
      await bucket.remove(node).catch((error: unknown) => log.warn("manifest.withdrawal_failed", { err: error }));
    },
  };
}

const noticeMs = 5000;
const lookAgainMs = 20;

/** Waits a limited time until the catalogue plans with the announced engines. */
export async function untilListed(catalogue: Client<typeof CatalogueService>, { engines }: Manifest, log: Log): Promise<void> {
  const hop = engines.at(-1)?.hops[0];
  if (hop === undefined) return;
  const until = performance.now() + noticeMs;
  let problem: unknown;
  while (performance.now() < until) {
    try {
      await catalogue.planRoute({ from: hop.from, to: hop.to }, { timeoutMs: noticeMs });
      return;
    } catch (error) {
      problem = error;
    }
    await sleep(lookAgainMs);
  }
  log.warn("manifest.unnoticed", { err: problem });
}
