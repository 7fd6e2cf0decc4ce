import { createHash } from "node:crypto";
import { create, toBinary } from "@bufbuild/protobuf";
import { type Manifest, ManifestSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { compactCodec } from "#kit/nats/compact-codec.ts";
import type { Broker, Bucket } from "#kit/nats/ports.ts";
import { compareText } from "../domain/graph.ts";
import { createOptionPool } from "../domain/option-pool.ts";

/** An announcement expires unless it is renewed within this time. */
const leaseMs = 30_000;
/** Nodes come and go in groups. One computation serves them all. */
const settleMs = 50;

/** The live announcements, sorted by node. */
export type Manifests = AsyncDisposable & { current(): readonly Manifest[] };

/** The bucket in which every conversion node announces itself under its id. */
export function openManifestBucket(broker: Broker): Promise<Bucket<Manifest>> {
  return broker.bucket("manifests", compactCodec(ManifestSchema, shareOptions), { ttlMs: leaseMs });
}

/** A manifest carries tens of thousands of options, of which only a few hundred differ. */
function shareOptions(manifest: Manifest): void {
  const pool = createOptionPool();
  for (const engine of manifest.engines) {
    for (const hop of engine.hops) hop.options = pool.shared(hop.options) as typeof hop.options;
  }
}

/**
 * Calls `onChange` when the content of the announcements changes, but not for renewals. Resolves when the current announcements are loaded,
 * without calling it for them.
 */
export async function watchManifests(bucket: Bucket<Manifest>, onChange: () => void): Promise<Manifests> {
  const live = new Map<string, Manifest>();
  let settling: NodeJS.Timeout | undefined;
  let isPresent = false;
  const changed = () => {
    if (!isPresent) return;
    settling ??= setTimeout(
      () => {
        settling = undefined;
        onChange();
      },
      // Requests may be waiting for the first one.
      live.size === 1 ? 0 : settleMs,
    );
  };
  const watch = await bucket.watch((node, entry) => {
    if (entry === undefined) {
      if (live.delete(node)) changed();
      return;
    }
    const known = live.get(node);
    live.set(node, entry.value);
    if (known === undefined || (known !== entry.value && contentOf(known) !== contentOf(entry.value))) changed();
  });
  isPresent = true;
  return {
    current: () => [...live].sort(([a], [b]) => compareText(a, b)).map(([, manifest]) => manifest),
    async [Symbol.asyncDispose]() {
      clearTimeout(settling);
      await watch[Symbol.asyncDispose]();
    },
  };
}

/** A digest of everything except the time of the announcement. */
function contentOf({ node, engines, sandbox }: Manifest): string {
  return createHash("sha256")
    .update(toBinary(ManifestSchema, create(ManifestSchema, { node, engines, sandbox })))
    .digest("base64url");
}
