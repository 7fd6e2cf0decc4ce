import { lookup } from "node:dns";
import { FilemillError } from "#contract/errors.ts";
import { jobJsonOf } from "#contract/job-json.ts";
import { WebhookService } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import type { Log } from "#kit/log.ts";
import type { Broker } from "#kit/nats/ports.ts";
import { notReady } from "#kit/readiness.ts";
import type { Service } from "#kit/service.ts";
import { openJobEnds } from "./adapters/job-ends.ts";
import { createSender } from "./adapters/sender.ts";
import { openStore } from "./adapters/store.ts";
import type { WebhookSettings } from "./config.ts";
import { openDispatcher } from "./domain/dispatcher.ts";
import type { Store } from "./domain/ports.ts";
import { createSchedule } from "./domain/schedule.ts";
import { createWebhookRpc } from "./rpc.ts";

export type WebhookDeps = { readonly broker: Broker; readonly log: Log; readonly resolve?: typeof lookup };

/** Tells accounts' own servers how their jobs ended. */
export function createWebhookService({ broker, log, resolve = lookup }: WebhookDeps, settings: WebhookSettings): Service {
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
      const dispatcher = stack.use(
        openDispatcher({
          store: opened,
          send: createSender({ ...rules, resolve }),
          schedule: createSchedule(pausesMs),
          publicJob: jobJsonOf,
          log,
          now: Date.now,
        }),
      );
      stack.use(await openJobEnds(broker, dispatcher.jobEnded));
      store = opened;
    },
    drain: async () => undefined,
    readiness: () => (store === undefined ? notReady("webhook") : { ready: true }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
