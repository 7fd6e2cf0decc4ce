import type { Key } from "#gen/filemill/account/v1/account_pb.ts";
import type { Log } from "#kit/log.ts";
import type { Records } from "./directory.ts";
import { usedKey } from "./keys.ts";
import { createQuietWrites } from "./quiet-writes.ts";

/** A key's last use is recorded to the minute, so that a busy key causes one write a minute instead of one per request. */
export const lastUseResolutionMs = 60_000;

export type LastUse = AsyncDisposable & {
  /** Records the use in the background. Never throws and never waits. */
  note(hash: string, key: Key): void;
};

/** Disposing waits for writes in progress. */
export function createLastUse(records: Records, log: Log, now: () => number = Date.now): LastUse {
  const writes = createQuietWrites(log, "key.last-use-not-written");
  return {
    note(hash, key) {
      if (usedKey(key, now(), lastUseResolutionMs) === key) return;
      writes.begin(hash, () => records.changeKey(hash, (present) => usedKey(present, now(), lastUseResolutionMs)));
    },
    [Symbol.asyncDispose]: () => writes[Symbol.asyncDispose](),
  };
}
