import { setTimeout as sleep } from "node:timers/promises";
import { consumerOpts, type JetStreamPullSubscription, type JsMsg, NatsError } from "nats";
import type { Log } from "#kit/log.ts";
import { isOutage } from "./failures.ts";
import { keepOpen } from "./keep-open.ts";
import type { Link } from "./link.ts";

const pullMs = 30_000;
const pauseMs = 200;

export type PullSource = { readonly stream: string; readonly durable: string; readonly subject: string };

export type PullLoop = AsyncDisposable & {
  /** Starts work that came another way, if there is room. */
  tryRun(work: () => Promise<void>, hasRoom?: () => boolean): boolean;
};

/**
 * Hands out messages to at most `slots` handlers at a time. One pull request waits at the server for each free slot, so a message is
 * delivered at once and never to a node without a slot for it. (The client's own consume() prefetches, and a busy node would hoard.)
 * Disposing takes no new messages, returns those in transit, and waits for the handlers.
 */
export async function openPullLoop(
  link: Link,
  source: PullSource,
  slots: number,
  { handle, onFree }: { readonly handle: (message: JsMsg) => Promise<void>; readonly onFree: () => void },
  log: Log,
): Promise<PullLoop> {
  const running = new Set<Promise<void>>();
  // Count work before it starts, because its first step may request more of its kind.
  let taken = 0;
  let stopping = false;
  let lane: Lane | undefined;

  const hasPlace = (): boolean => !stopping && taken < slots;
  const run = (begin: () => Promise<void>): void => {
    taken += 1;
    const work = begin()
      .catch((error: unknown) => log.error("queue.handler", { error }))
      .finally(() => {
        taken -= 1;
        running.delete(work);
        onFree();
        lane?.refill();
      });
    running.add(work);
  };
  const open = async (reopen: () => void): Promise<void> => {
    const old = lane;
    lane = undefined;
    old?.drop();
    lane = await openLane(link, source, {
      free: () => (stopping ? 0 : slots - taken),
      // The slot that the pull request was for may have gone to work that came another way.
      take: (message) => (hasPlace() ? run(() => handle(message)) : message.nak()),
      broken: reopen,
    });
    lane.refill();
  };
  const keeper = await keepOpen(link, open, (error) => log.debug("queue.reopen", { error }));
  return {
    tryRun(work, hasRoom = hasPlace) {
      if (lane === undefined || stopping || !hasRoom()) return false;
      run(work);
      return true;
    },
    async [Symbol.asyncDispose]() {
      stopping = true;
      await keeper.stop();
      await lane?.close();
      await Promise.all(running);
    },
  };
}

type Lane = {
  /** Requests as many messages as there are free slots. */
  refill(): void;
  /** Abandons the lane because its connection is gone. */
  drop(): void;
  close(): Promise<void>;
};
type LaneEnds = { free(): number; take(message: JsMsg): void; broken(): void };

/** The pull requests of one connection. Each ends with one message or one status. */
async function openLane(link: Link, source: PullSource, ends: LaneEnds): Promise<Lane> {
  let asked = 0;
  let heardAtMs = performance.now();
  const options = consumerOpts();
  options.bind(source.stream, source.durable);
  options.manualAck();
  options.callback((error, message) => {
    heardAtMs = performance.now();
    asked = Math.max(0, asked - 1);
    if (message !== null) ends.take(message);
    else if (error !== null && !isExpired(error)) return broken();
    refill();
  });
  const subscription = await link.once(() => link.js.pullSubscribe(source.subject, options));
  let open = true;
  // If a status is lost, the requests would seem to wait forever.
  const watchdog = setInterval(() => {
    if (asked > 0 && performance.now() - heardAtMs > 2 * pullMs) broken();
  }, pullMs);
  watchdog.unref();

  function refill(): void {
    while (open && asked < ends.free()) {
      asked += 1;
      subscription.pull({ batch: 1, expires: pullMs });
    }
  }
  function stop(): void {
    open = false;
    clearInterval(watchdog);
  }
  function broken(): void {
    if (!open) return;
    stop();
    setTimeout(ends.broken, pauseMs).unref();
  }
  return {
    refill,
    drop() {
      stop();
      if (!link.nc.isClosed()) subscription.unsubscribe();
    },
    async close() {
      stop();
      await drained(link, subscription);
    },
  };
}

/** Messages that the server had already sent still reach the callback. */
async function drained(link: Link, subscription: JetStreamPullSubscription): Promise<void> {
  if (link.nc.isClosed() || subscription.isClosed()) return;
  await Promise.race([subscription.drain().catch(() => undefined), sleep(500, undefined, { ref: false })]);
}

function isExpired(error: unknown): boolean {
  return error instanceof NatsError && !isOutage(error) && (error.code === "404" || error.code === "408");
}
