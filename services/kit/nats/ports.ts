/** What services see of NATS. One implementation, on JetStream; there is no in-memory one. */

/** Somebody else changed the entry first, or it exists already. */
export class RevisionConflict extends Error {
  override readonly name = "RevisionConflict";
}

export type Entry<T> = { readonly key: string; readonly value: T; readonly revision: number };

/** A key-value bucket of one Protobuf message, with compare-and-set. Keys match [-_=.A-Za-z0-9]+ and are built by us, never by clients. */
export type Bucket<T> = {
  get(key: string): Promise<Entry<T> | undefined>;
  /**
   * Resolves with the revision. Rejects with RevisionConflict when the key exists.
   *
   * @param options.unlessRemoved - Rejects also when the key existed lately, that is, as long as its removal is on record.
   */
  create(key: string, value: T, options?: { unlessRemoved?: boolean }): Promise<number>;
  /** Rejects with RevisionConflict when the entry is not at `revision` any more. */
  update(key: string, value: T, revision: number): Promise<number>;
  /** Last writer wins. */
  put(key: string, value: T): Promise<number>;
  remove(key: string): Promise<void>;
  /**
   * Calls back with every entry (undefined value: removed), first all that exist, then the changes in order. Of an entry
   * that changes faster than it is told, only the newest is certain to be told.
   * Survives broker restarts: after a reconnect it reads everything again at once, and reports removals it missed.
   * Resolves when the present state was delivered.
   *
   * @param isKnown - Whether the watcher has the entry already, at that revision or a newer one: it is left out then, which saves
   *   decoding what it wrote itself. With it the watcher hears of the removal of an entry of its own that it was never told.
   */
  watch(
    onChange: (key: string, entry: Entry<T> | undefined) => void,
    isKnown?: (key: string, revision: number) => boolean,
  ): Promise<AsyncDisposable>;
};

/** One delivery of a wake-up. Not settling it means it comes again after the queue's wait. */
export type Delivery = {
  /** Empty: no message brought it (wakeHere). */
  readonly jobId: string;
  readonly lane: string;
  /** From 1. */
  readonly deliveries: number;
  /** Takes it off the queue. Not waited for: if it gets lost, the message comes again, and the record says that it is settled. */
  ack(): void;
  /** Comes again after `delayMs`. */
  retry(delayMs: number): void;
  /** Resets the queue's wait; to be called by whoever supervises the work. */
  working(): void;
};

/** Wake-ups, one stream with a lane (subject and consumer) per family of work. The records are the truth, not the queue. */
export type WorkQueue = {
  /** Publishing the same id twice within two minutes queues it once, unless `again` is set. */
  publish(lane: string, jobId: string, options?: { again?: boolean }): Promise<void>;
  /**
   * Has a consumer of this process look at the lane, by a delivery that names no job and leaves nothing when the process ends: at once
   * where it has a place, else as soon as one is free. False: this process does not consume the lane.
   * `isNewcomer`: for a consumer that keeps room for some.
   */
  wakeHere(lane: string, options?: { isNewcomer?: boolean }): boolean;
  /** Is there a message for this job, delivered or not? */
  has(lane: string, jobId: string): Promise<boolean>;
  /** How many messages the lane has, delivered ones that are not settled included. */
  waiting(lane: string): Promise<number>;
  /** Takes every message for this job off the queue. */
  withdraw(lane: string, jobId: string): Promise<void>;
  /**
   * Hands out at most `slots` deliveries at a time; each is done when `handle` resolves. Disposing stops taking and waits for what runs.
   * `admits`: whether there is room for a look that `wakeHere` asks for; if it is not given, as long as a slot is free.
   */
  consume(
    lane: string,
    slots: number,
    handle: (delivery: Delivery) => Promise<void>,
    options?: { admits?: (isNewcomer: boolean) => boolean },
  ): Promise<AsyncDisposable>;
};

/** Messages to whoever listens at this moment, in this process too. Nothing is stored. */
export type Channel = {
  /** Resolves when the server has it. */
  send(text: string): Promise<void>;
  listen(listener: (text: string) => void): void;
};

/** A connection to the embedded server or to NATS_URL. */
export type Broker = AsyncDisposable & {
  readonly embedded: boolean;
  /** For example 2.9.10. */
  readonly serverVersion: string;
  bucket<T>(
    name: string,
    codec: { encode(value: T): Uint8Array; decode(bytes: Uint8Array): T },
    options?: { ttlMs?: number },
  ): Promise<Bucket<T>>;
  workQueue(name: string, lanes: readonly string[], options: { ackWaitMs: number }): Promise<WorkQueue>;
  /** Forces what was written so far to the disk where the embedded server does not do so by itself; concurrent calls share one flush. */
  flushToDisk(): Promise<void>;
  /** A real write and read within two seconds. */
  healthy(): Promise<boolean>;
};
