import { lookup } from "node:dns";
import type { Client } from "@connectrpc/connect";
import { FilemillError } from "#contract/errors.ts";
import { jobJsonOf } from "#contract/job-json.ts";
import { formatOf } from "#formats/index.ts";
import type { JobService } from "#gen/filemill/job/v1/job_pb.ts";
import { WebhookService } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import type { BlobStore } from "#kit/blobs/store.ts";
import type { Log } from "#kit/log.ts";
import type { Broker } from "#kit/nats/ports.ts";
import { notReady } from "#kit/readiness.ts";
import type { Service } from "#kit/service.ts";
import { watchJobs } from "./adapters/job-watch.ts";
import { createSender } from "./adapters/sender.ts";
import { openStore } from "./adapters/store.ts";
import type { WebhookSettings } from "./config.ts";
import { openAgenda } from "./domain/agenda.ts";
import { openDispatcher } from "./domain/dispatcher.ts";
import type { Store } from "./domain/ports.ts";
import { type Claims, createResultDeliveries } from "./domain/result-deliveries.ts";
import { createSchedule } from "./domain/schedule.ts";
import { createWebhookRpc } from "./rpc.ts";

export type WebhookDeps = {
  readonly broker: Broker;
  readonly blobs: Pick<BlobStore, "read">;
  readonly jobs: Pick<Client<typeof JobService>, "claimDelivery" | "settleDelivery">;
  readonly log: Log;
  readonly resolve?: typeof lookup;
};

/** A result may be large, and its receiver may take time to process it. */
const resultLimits = { wholeMs: 3_600_000, silenceMs: 60_000 } as const;

/** Notifies accounts' own servers when jobs end, and sends results to the addresses chosen for them. */
export function createWebhookService({ broker, blobs, jobs, log, resolve = lookup }: WebhookDeps, settings: WebhookSettings): Service {
  const stack = new AsyncDisposableStack();
  const rules = { allowPrivate: settings.WEBHOOK_PRIVATE_ADDRESSES === "allowed", ports: settings.WEBHOOK_PORTS ?? [] };
  const pausesMs = settings.WEBHOOK_RETRY_SECONDS.split(",").map((text) => Number(text) * 1000);
  let store: Store | undefined;
  const started = (): Store => {
    if (store !== undefined) return store;
    throw new FilemillError("UNAVAILABLE", "Webhooks are not ready yet; try again.", { retryAfterMs: 1000 });
  };
  return {
    name: "webhook",
    routes: (router) => void router.service(WebhookService, createWebhookRpc(started, rules)),
    async start() {
      const opened = stack.use(await openStore(broker));
      const agenda = stack.use(openAgenda({ log, now: Date.now }));
      const common = { agenda, schedule: createSchedule(pausesMs), log };
      const { jobEnded } = openDispatcher({
        ...{ ...common, store: opened, send: createSender({ ...rules, resolve }), publicJob: jobJsonOf, now: Date.now },
      });
      const recordChanged = createResultDeliveries({
        ...{ ...common, claims: claimsOf(jobs), send: createSender({ ...rules, resolve }, resultLimits) },
        ...{ read: (blobId) => blobs.read(blobId), typeOf: (format) => formatOf(format)?.mime ?? "application/octet-stream" },
      });
      stack.use(await watchJobs(broker, { onEnd: jobEnded, onRecord: recordChanged }));
      store = opened;
    },
    drain: async () => undefined,
    readiness: () => (store === undefined ? notReady("webhook") : { ready: true }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function claimsOf(jobs: WebhookDeps["jobs"]): Claims {
  return {
    claim: async (jobId, attempt, claimMs) => (await jobs.claimDelivery({ jobId, attempt, claimMs })).claim,
    settle: (jobId, attempt, ending) => jobs.settleDelivery({ jobId, attempt, ...ending }),
  };
}
