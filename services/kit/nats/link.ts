import { setTimeout as sleep } from "node:timers/promises";
import {
  type ConnectionOptions,
  connect,
  createInbox,
  Events,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
} from "nats";
import type { Log } from "#kit/log.ts";
import { failureOf, Interrupted, isOutage } from "./failures.ts";

/** How long one request may take before its outcome counts as unknown. */
export const requestTimeoutMs = 2000;
/** How long requests are retried during an outage before UNAVAILABLE. */
export const patienceMs = 4000;
const retryPauseMs = 50;

/** A connection that reports when it was lost. */
export type Link = AsyncDisposable & {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** One attempt. Rejects with Interrupted as soon as the connection was lost and is back, because no answer can arrive any more. */
  once<T>(request: () => Promise<T>): Promise<T>;
  /** For requests that may be carried out twice. Rejects with UNAVAILABLE if an outage outlasts `patienceMs`. */
  retry<T>(request: () => Promise<T>): Promise<T>;
  /** A new subject for answers on this connection. */
  newInbox(): string;
  /** Calls the listener, before `onReconnect` does, when earlier requests can no longer be answered. */
  onLost(listener: (lost: Interrupted) => void): void;
  /** Calls the listener after each reconnect. Returns a function that stops this. */
  onReconnect(listener: () => void): () => void;
};

export async function openLink(options: ConnectionOptions, log: Log, signal?: AbortSignal): Promise<Link> {
  const nc = await connectUntil(
    { ...options, maxReconnectAttempts: -1, reconnectTimeWait: 50, reconnectJitter: 50, noAsyncTraces: true },
    signal,
  );
  const js = nc.jetstream({ timeout: requestTimeoutMs });
  const waiting = new Set<(lost: Interrupted) => void>();
  const listeners = new Set<() => void>();
  const losers = new Set<(lost: Interrupted) => void>();
  // Usually ends with the connection, but the client may leave the iterator open. Nothing waits for it.
  void followStatus(nc, log, () => {
    for (const reject of [...waiting, ...losers]) reject(new Interrupted("the connection to the broker was lost"));
    for (const listener of [...listeners]) listener();
  });

  const once = <T>(request: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.add(reject);
      request()
        .then(resolve, reject)
        .finally(() => waiting.delete(reject));
    });
  const retry = async <T>(request: () => Promise<T>): Promise<T> => {
    const deadline = performance.now() + patienceMs;
    for (let tries = 1; ; tries += 1) {
      try {
        return await once(request);
      } catch (error) {
        // Time in which this process was suspended says nothing about the broker, so try at least twice.
        const isOver = tries > 1 && performance.now() >= deadline;
        if (!isOutage(error) || nc.isClosed() || isOver) throw failureOf(error);
        await sleep(retryPauseMs);
      }
    }
  };

  const jsm = await retry(() => nc.jetstreamManager({ timeout: requestTimeoutMs })).catch(async (error: unknown) => {
    await closeConnection(nc);
    throw error;
  });
  return {
    nc,
    js,
    jsm,
    newInbox: () => createInbox(options.inboxPrefix),
    onLost: (listener) => void losers.add(listener),
    once,
    retry,
    onReconnect(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async [Symbol.asyncDispose]() {
      listeners.clear();
      await closeConnection(nc);
    },
  };
}

/** The client cannot stop waiting for its first connection, so a late connection is closed again. */
async function connectUntil(options: ConnectionOptions, signal: AbortSignal | undefined): Promise<NatsConnection> {
  if (signal === undefined) return connect(options);
  signal.throwIfAborted();
  const connecting = connect(options);
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([connecting, aborted.promise]);
  } catch (error) {
    connecting.then(
      (late) => late.close(),
      () => undefined,
    );
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function followStatus(nc: NatsConnection, log: Log, onReconnect: () => void): Promise<void> {
  for await (const status of nc.status()) {
    switch (status.type) {
      case Events.Disconnect:
        log.warn("broker.disconnected");
        break;
      case Events.Reconnect:
        log.info("broker.reconnected");
        onReconnect();
        break;
      case Events.Error:
        log.warn("broker.error", { code: String(status.data) });
        break;
      default:
    }
  }
}

/** Gives written data time to reach the server. Draining would wait forever for a server that is away. */
async function closeConnection(nc: NatsConnection): Promise<void> {
  if (nc.isClosed()) return;
  await Promise.race([nc.flush().catch(() => undefined), sleep(500, undefined, { ref: false })]);
  await nc.close();
}
