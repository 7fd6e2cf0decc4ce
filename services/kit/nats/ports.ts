/** NATS as services see it. The only implementation uses JetStream; there is no in-memory one. */

/** Another writer changed the entry first, or the entry already exists. */
export class RevisionConflict extends Error {
  override readonly name = "RevisionConflict";
}

export type Entry<T> = { readonly key: string; readonly value: T; readonly revision: number };

/**
 * A key-value bucket of one Protobuf message, with compare-and-set. Keys match [-_=.A-Za-z0-9]+ and are built by Filemill, never by
 * clients.
 */
export type Bucket<T> = {
  get(key: string): Promise<Entry<T> | undefined>;
  /**
   * Resolves with the revision. Rejects with RevisionConflict if the key exists.
   *
   * @param options.unlessRemoved - Also rejects if the key was removed recently, that is, as long as its removal is on record.
   */
  create(key: string, value: T, options?: { unlessRemoved?: boolean }): Promise<number>;
  /** Rejects with RevisionConflict if the entry is no longer at `revision`. */
  update(key: string, value: T, revision: number): Promise<number>;
  /** Last writer wins. */
  put(key: string, value: T): Promise<number>;
  remove(key: string): Promise<void>;
  /**
   * Calls back for every entry (undefined value: removed): first all existing ones, then the changes in order. If an entry changes faster
   * than it is reported, only the newest value is certain to be reported. Survives broker restarts: after a reconnect it reads everything
   * again at once and reports removals that it missed. Resolves when the current state was delivered.
   *
   * @param isKnown - Whether the watcher already has the entry at that revision or a newer one. Such entries are skipped, which saves
   *   decoding its own writes. With it, the watcher also learns of the removal of its own entries that were never reported to it.
   */
  watch(
    onChange: (key: string, entry: Entry<T> | undefined) => void,
    isKnown?: (key: string, revision: number) => boolean,
  ): Promise<AsyncDisposable>;
};

/** One delivery of a wake-up. If it is not settled, it is redelivered after the queue's wait. */
export type Delivery = {
  /** Empty if no message caused it (wakeHere). */
  readonly jobId: string;
  readonly lane: string;
  /** From 1. */
  readonly deliveries: number;
  /**
   * Takes the message off the queue. Not awaited: if the acknowledgement is lost, the message is redelivered, and the record shows that it
   * is settled.
   */
  ack(): void;
  /** Redelivers it after `delayMs`. */
  retry(delayMs: number): void;
  /** Resets the queue's wait. Whoever supervises the work must call it. */
  working(): void;
};

/** Wake-ups: one stream, with a lane (subject and consumer) per family of work. The records are authoritative, not the queue. */
export type WorkQueue = {
  /** Publishing the same id twice within two minutes queues it once, unless `again` is set. */
  publish(lane: string, jobId: string, options?: { again?: boolean }): Promise<void>;
  /**
   * Makes a consumer of this process check the lane, at once or as soon as a slot is free. The delivery names no job and leaves nothing
   * behind when the process ends. False if this process does not consume the lane. `isNewcomer`: for a consumer that keeps room for some.
   */
  wakeHere(lane: string, options?: { isNewcomer?: boolean }): boolean;
  /** Whether there is a message for this job, delivered or not. */
  has(lane: string, jobId: string): Promise<boolean>;
  /** The number of messages in the lane, including delivered ones that are not settled. */
  waiting(lane: string): Promise<number>;
  /** Takes every message for this job off the queue. */
  withdraw(lane: string, jobId: string): Promise<void>;
  /**
   * Hands out at most `slots` deliveries at a time. Each is done when `handle` resolves. Disposing stops taking messages and waits for
   * running handlers. `admits`: whether there is room for a check requested by `wakeHere`. Default: whether a slot is free.
   */
  consume(
    lane: string,
    slots: number,
    handle: (delivery: Delivery) => Promise<void>,
    options?: { admits?: (isNewcomer: boolean) => boolean },
  ): Promise<AsyncDisposable>;
};

/** Messages to current listeners, including those in this process. Nothing is stored. */
export type Channel = {
  /** Resolves when the server has received it. */
  send(text: string): Promise<void>;
  listen(listener: (text: string) => void): void;
};

/** A connection to the embedded server or to NATS_URL. */
export type Broker = AsyncDisposable & {
  bucket<T>(
    name: string,
    codec: { encode(value: T): Uint8Array; decode(bytes: Uint8Array): T },
    options?: { ttlMs?: number },
  ): Promise<Bucket<T>>;
  workQueue(name: string, lanes: readonly string[], options: { ackWaitMs: number }): Promise<WorkQueue>;
  /** Flushes everything written so far to the disk, unless the embedded server does so by itself. Concurrent calls share one flush. */
  flushToDisk(): Promise<void>;
  /** A real write and read within two seconds. */
  healthy(): Promise<boolean>;
};
