import type { Key } from "#gen/filemill/account/v1/account_pb.ts";
import type { Log } from "#kit/log.ts";
import { usedKey } from "./accounts.ts";
import type { Records } from "./directory.ts";

/** A key's last use is told to the minute, so that a busy key costs one write a minute and not one a request. */
export const lastUseResolutionMs = 60_000;

export type LastUse = AsyncDisposable & {
  /** Notes the use in the background; never throws and never waits. */
  note(hash: string, key: Key): void;
};

/** Disposing waits for the writes that are under way. */
export function createLastUse(records: Records, log: Log, now: () => number = Date.now): LastUse {
  const writing = new Map<string, Promise<void>>();
  return {
    note(hash, key) {
      if (writing.has(hash) || usedKey(key, now(), lastUseResolutionMs) === key) return;
      const write = records
        .changeKey(hash, (present) => usedKey(present, now(), lastUseResolutionMs))
        .then(
          () => undefined,
          (error: unknown) => log.warn("key.last-use-not-written", { keyId: key.id, error: String(error) }),
        )
        .finally(() => writing.delete(hash));
      writing.set(hash, write);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(writing.values());
    },
  };
}
