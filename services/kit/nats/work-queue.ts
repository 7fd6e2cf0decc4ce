import { isDeepStrictEqual } from "node:util";
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  Empty,
  type JsMsg,
  nanos,
  nuid,
  RetentionPolicy,
  StorageType,
  type StoredMsg,
} from "nats";
import type { Log } from "#kit/log.ts";
import type { Ends } from "./bucket.ts";
import { apiCodeOf } from "./failures.ts";
import type { Link } from "./link.ts";
import type { LocalWakes } from "./local-wakes.ts";
import type { Delivery, WorkQueue } from "./ports.ts";
import { openPullLoop } from "./pull-loop.ts";

const duplicateWindowMs = 120_000;
const maxQueueBytes = 64 * 1024 * 1024;
const noMessageFound = 10037;
const streamNotFound = 10059;
const consumerNotFound = 10014;
const token = /^[-_A-Za-z0-9]+$/;

export type QueueSettings = {
  readonly name: string;
  readonly lanes: readonly string[];
  readonly ackWaitMs: number;
  readonly replicas: number;
};

export async function openWorkQueue({ link, owner }: Ends, settings: QueueSettings, wakes: LocalWakes, log: Log): Promise<WorkQueue> {
  const stream = checked(settings.name).toUpperCase();
  const known = (lane: string): string => {
    if (!settings.lanes.includes(lane)) throw new TypeError(`the queue ${settings.name} has no lane ${JSON.stringify(lane)}`);
    return checked(lane);
  };
  const everyOf = (lane: string): string => `${settings.name}.${known(lane)}.*`;
  const subjectOf = (lane: string, jobId: string): string => `${settings.name}.${known(lane)}.${checked(jobId)}`;
  await owner.retry(() => ensureStream(owner, stream, settings));
  for (const lane of settings.lanes) await owner.retry(() => ensureConsumer(owner, stream, checked(lane), settings));
  const first = (lane: string, jobId: string): Promise<StoredMsg | undefined> => firstMessage(link, stream, subjectOf(lane, jobId));

  const publish: WorkQueue["publish"] = async (lane, jobId, { again = false } = {}) => {
    // The same id for every retry, so that a message whose acknowledgement was lost is not queued twice.
    const msgID = again ? nuid.next() : `${lane}.${jobId}`;
    await link.retry(() => link.js.publish(subjectOf(lane, jobId), Empty, { msgID }));
  };
  const wakeHere: WorkQueue["wakeHere"] = (lane, { isNewcomer = false } = {}) => wakes.wake(everyOf(lane), isNewcomer);

  return {
    publish,
    wakeHere,
    async has(lane, jobId) {
      return (await first(lane, jobId)) !== undefined;
    },
    async waiting(lane) {
      // Counts in the consumer, not in the stream: when server 2.9 is killed, messages can reappear in the stream that the consumer has
      // already passed and never delivers.
      const info = await link.retry(() => link.jsm.consumers.info(stream, known(lane)));
      return info.num_pending + info.num_ack_pending;
    },
    async withdraw(lane, jobId) {
      for (let found = await first(lane, jobId); found !== undefined; found = await first(lane, jobId)) {
        const { seq } = found;
        await link.retry(() => link.jsm.streams.deleteMessage(stream, seq, false).catch(orNothing));
      }
    },
    async consume(lane, slots, handle, { admits } = {}) {
      const source = { stream, durable: known(lane), subject: everyOf(lane) };
      const take = (message: JsMsg): Promise<void> => handle(deliveryOf(message));
      const ends = { handle: take, onFree: () => wakes.freed(source.subject) };
      const loop = await openPullLoop(link, source, slots, ends, log.with({ queue: settings.name, lane }));
      const leave = wakes.join(source.subject, (isNewcomer) =>
        loop.tryRun(() => handle(withoutMessage(lane, () => wakeHere(lane))), admits && (() => admits(isNewcomer))),
      );
      return {
        async [Symbol.asyncDispose]() {
          leave();
          await loop[Symbol.asyncDispose]();
        },
      };
    },
  };
}

/** The first message, not the last: when server 2.9 deletes the last of several messages on a subject, it loses track of the others. */
function firstMessage(link: Link, stream: string, subject: string): Promise<StoredMsg | undefined> {
  const query = { seq: 1, next_by_subj: subject };
  return link.retry(() => link.jsm.streams.getMessage(stream, query).catch(orNothing));
}

/** Part of a subject. A wildcard or a dot in it would address other messages. */
function checked(part: string): string {
  if (!token.test(part)) throw new TypeError(`not a subject token: ${JSON.stringify(part)}`);
  return part;
}

async function ensureStream(link: Link, name: string, settings: QueueSettings): Promise<void> {
  const config = {
    subjects: [`${settings.name}.*.*`],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    duplicate_window: nanos(duplicateWindowMs),
    max_msg_size: 64 * 1024,
    max_bytes: maxQueueBytes,
    num_replicas: settings.replicas,
  };
  const found = await link.jsm.streams.info(name).catch((error: unknown) => {
    if (apiCodeOf(error) === streamNotFound) return undefined;
    throw error;
  });
  // A user who may not change the stream need not, as long as it is right. Replicas are never removed, because a server may be down.
  const wanted = { ...config, num_replicas: Math.max(config.num_replicas, found?.config.num_replicas ?? 0) };
  if (found === undefined) await link.jsm.streams.add({ name, ...config });
  else if (!isMatch(found.config, wanted)) await link.jsm.streams.update(name, wanted);
}

/** Unlimited deliveries: attempts are counted in the job's record, which a restart of the server cannot reset. */
async function ensureConsumer(link: Link, stream: string, lane: string, settings: QueueSettings): Promise<void> {
  const config = {
    durable_name: lane,
    filter_subject: `${settings.name}.${lane}.*`,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(settings.ackWaitMs),
    max_deliver: -1,
    max_ack_pending: 10_000,
  };
  const found = await link.jsm.consumers.info(stream, lane).catch((error: unknown) => {
    if (apiCodeOf(error) === consumerNotFound) return undefined;
    throw error;
  });
  if (found === undefined || !isMatch(found.config, config)) await link.jsm.consumers.add(stream, config);
}

/** Whether everything wanted is already set. The server adds defaults for the rest. */
function isMatch(found: object, wanted: object): boolean {
  const values: Readonly<Record<string, unknown>> = { ...found };
  return Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(values[name], value));
}

function orNothing(error: unknown): undefined {
  if (apiCodeOf(error) === noMessageFound) return undefined;
  throw error;
}

function withoutMessage(lane: string, wakeAgain: () => void): Delivery {
  return {
    jobId: "",
    lane,
    deliveries: 1,
    ack: () => undefined,
    working: () => undefined,
    retry: (delayMs) => void setTimeout(wakeAgain, delayMs).unref(),
  };
}

function deliveryOf(message: JsMsg): Delivery {
  const [lane = "", jobId = ""] = message.subject.split(".").slice(-2);
  return {
    jobId,
    lane,
    deliveries: message.info.deliveryCount,
    ack: () => message.ack(),
    retry: (delayMs) => message.nak(delayMs),
    working: () => message.working(),
  };
}
