/** When disk space is short, guests' results are removed first. */

import { settle } from "./end-job.ts";
import { isGuest, payerOf } from "./payer.ts";
import type { Core } from "./ports.ts";
import type { Held } from "./projection.ts";
import { keptBytesOf } from "./retention.ts";
import { evicted, isUnfinished } from "./state.ts";

/**
 * @param wantedBytes - The shortage of disk space. It is checked only after earlier runs are done, because two runs that see one shortage
 * would remove twice as much.
 */
export function createRoomMaker(core: Core, wantedBytes: () => Promise<number>): Core["makeRoom"] {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const next = last.then(async () => makeRoom(core, await wantedBytes()));
    last = next.catch(() => undefined);
    return next;
  };
}

/** Expires guests' results, oldest first, until enough bytes are freed. Resolves with the number of bytes. */
async function makeRoom(core: Core, wantedBytes: number): Promise<number> {
  if (wantedBytes <= 0) return 0;
  let freed = 0;
  for (const { record } of guestResults(core)) {
    if (freed >= wantedBytes) break;
    const change = await core.records.change(record.job.id, (held) => evicted(held.record, core.clock.now()));
    if (!change.changed) continue;
    await settle(core, change);
    freed += keptBytesOf(record);
    core.log.warn("job.evicted", { job: record.job.id, bytes: keptBytesOf(record), payer: payerOf(record) });
  }
  return freed;
}

function guestResults({ projection }: Core): Held[] {
  const results = [...projection.all()].filter(({ record }) => isGuest(record) && !isUnfinished(record) && keptBytesOf(record) > 0);
  // Ids sort by creation.
  return results.toSorted((a, b) => (a.record.job.id < b.record.job.id ? -1 : 1));
}
