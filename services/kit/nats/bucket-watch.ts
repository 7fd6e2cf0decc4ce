import { setTimeout as sleep } from "node:timers/promises";
import { consumerOpts, type JetStreamSubscription, type JsMsg } from "nats";
import type { Log } from "#kit/log.ts";
import { keepOpen } from "./keep-open.ts";
import type { Link } from "./link.ts";
import type { Entry } from "./ports.ts";

/** A removal stays on record this long for watchers that lag. Then its marker is removed too. */
const keepTombstonesMs = 60_000;

type Watched<T> = {
  readonly name: string;
  readonly ttlMs: number | undefined;
  decode(bytes: Uint8Array): T;
  isKnown(key: string, revision: number): boolean;
};
type OnChange<T> = (key: string, entry: Entry<T> | undefined) => void;

/** See Bucket.watch. The client's own watch resumes about ten seconds after a restart; this one is reopened immediately. */
export async function openBucketWatch<T>(link: Link, watched: Watched<T>, onChange: OnChange<T>, log: Log): Promise<AsyncDisposable> {
  const view = createView(watched, onChange, log);
  const markers = createMarkerSweep(link, watched.name);
  let pass: Pass | undefined;
  const keeper = await keepOpen(
    link,
    async () => {
      await pass?.close();
      pass = await openPass(link, watched.name, view, markers);
    },
    (error) => log.debug("watch.reopen", { error }),
  );
  return {
    async [Symbol.asyncDispose]() {
      await keeper.stop();
      view.close();
      await pass?.close();
    },
  };
}

type View = {
  begin(): void;
  change(key: string, message: JsMsg): void;
  /** Removes known entries that were not seen since `begin`. */
  complete(): void;
  close(): void;
};

/** What was reported to the watcher, so that it gets every difference once. */
function createView<T>(watched: Watched<T>, onChange: OnChange<T>, log: Log): View {
  const known = new Map<string, number>();
  let seen: Set<string> | undefined;
  const tell = (key: string, entry: Entry<T> | undefined): void => {
    try {
      onChange(key, entry);
    } catch (error) {
      log.error("watch.callback", { error });
    }
  };
  const forget = (key: string): void => {
    if (known.delete(key)) tell(key, undefined);
  };
  const remove = (key: string, revision: number): void => {
    const wasTold = known.delete(key);
    // The watcher has written the entry again since, so it stays.
    if (watched.isKnown(key, revision)) return;
    // A removal replaces what it removes. The entry may never have been reported, yet the watcher may have it.
    if (wasTold || watched.isKnown(key, 1)) tell(key, undefined);
  };
  const expiry = watched.ttlMs === undefined ? undefined : createExpiry(watched.ttlMs, forget);
  const note = (key: string, { info }: JsMsg): void => {
    known.set(key, info.streamSequence);
    expiry?.start(key, info.timestampNanos / 1e6);
  };
  return {
    begin() {
      seen = new Set();
    },
    change(key, message) {
      const revision = message.info.streamSequence;
      if (isMarker(message)) {
        expiry?.cancel(key);
        return remove(key, revision);
      }
      seen?.add(key);
      if (known.get(key) === revision) return;
      if (watched.isKnown(key, revision)) return note(key, message);
      let value: T;
      try {
        value = watched.decode(message.data);
      } catch (error) {
        log.error("watch.decode", { key, revision, error });
        return;
      }
      note(key, message);
      tell(key, { key, value, revision });
    },
    complete() {
      for (const key of [...known.keys()]) if (seen !== undefined && !seen.has(key)) forget(key);
      seen = undefined;
    },
    close() {
      expiry?.close();
    },
  };
}

/** The server drops expired entries of a bucket with a ttl silently. */
function createExpiry(ttlMs: number, onExpired: (key: string) => void) {
  const timers = new Map<string, NodeJS.Timeout>();
  const cancel = (key: string): void => {
    clearTimeout(timers.get(key));
    timers.delete(key);
  };
  return {
    cancel,
    start(key: string, writtenAtMs: number): void {
      cancel(key);
      // The server's clock may differ, so never wait longer than a whole lifetime.
      const leftMs = Math.min(ttlMs, Math.max(0, writtenAtMs + ttlMs - Date.now()));
      timers.set(
        key,
        setTimeout(() => {
          timers.delete(key);
          onExpired(key);
        }, leftMs),
      );
    },
    close(): void {
      for (const key of [...timers.keys()]) cancel(key);
    },
  };
}

type Pass = { close(): Promise<void> };

/** One ordered consumer: it delivers all current entries, then all changes. Resolves when the current entries are delivered. */
async function openPass(link: Link, bucket: string, view: View, markers: MarkerSweep): Promise<Pass> {
  const prefix = `$KV.${bucket}.`;
  const initial = Promise.withResolvers<void>();
  let received = 0;
  let expected = Number.POSITIVE_INFINITY;
  let open = true;
  view.begin();
  const options = consumerOpts();
  options.bindStream(`KV_${bucket}`);
  options.orderedConsumer();
  options.deliverLastPerSubject();
  options.callback((error, message) => {
    if (!open || error !== null || message === null) return;
    received += 1;
    if (isMarker(message)) markers.add(message.info.streamSequence, message.info.timestampNanos / 1e6);
    view.change(message.subject.slice(prefix.length), message);
    if (received >= expected || message.info.pending === 0) initial.resolve();
  });
  const subscription = await link.once(() => link.js.subscribe(`${prefix}>`, options));
  const close = async (): Promise<void> => {
    open = false;
    await release(link, subscription);
  };
  try {
    const info = await link.once(() => subscription.consumerInfo());
    expected = info.num_pending + info.delivered.consumer_seq;
    if (received >= expected) initial.resolve();
    await link.once(() => initial.promise);
    view.complete();
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function release(link: Link, subscription: JetStreamSubscription): Promise<void> {
  if (link.nc.isClosed() || subscription.isClosed()) return;
  // Deletes the consumer early. Otherwise the server does so after a few seconds.
  await Promise.race([subscription.destroy().catch(() => undefined), sleep(200, undefined, { ref: false })]);
}

function isMarker(message: JsMsg): boolean {
  const operation = message.headers?.get("KV-Operation") ?? "";
  return operation === "DEL" || operation === "PURGE";
}

type MarkerSweep = { add(sequence: number, writtenAtMs: number): void };

/** Each removed key would leave a marker in the stream forever. Watchers remove the markers that everybody has seen. */
function createMarkerSweep(link: Link, bucket: string): MarkerSweep {
  const waiting: { sequence: number; atMs: number }[] = [];
  return {
    add(sequence, writtenAtMs) {
      waiting.push({ sequence, atMs: writtenAtMs });
      const horizon = Date.now() - keepTombstonesMs;
      while (waiting[0] !== undefined && waiting[0].atMs < horizon) {
        const old = waiting.shift();
        // Already gone if another watcher was faster or the key was written again.
        if (old !== undefined) link.jsm.streams.deleteMessage(`KV_${bucket}`, old.sequence, false).catch(() => undefined);
      }
    },
  };
}
