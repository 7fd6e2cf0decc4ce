/**
 * The short path of a job (decision 68): only this process knows the job until it ends or takes too long. A worker of this process claims
 * it like any other job, when its turn comes in the lane. The first record written is that of its end, and only then is the end reported.
 */
import { tellMoment } from "#kit/moments.ts";
import { isIdle } from "./claim-job.ts";
import { payerOf } from "./payer.ts";
import type { Core } from "./ports.ts";
import { type Held, isUnwritten } from "./projection.ts";
import { laneOf, type Record } from "./state.ts";

/**
 * Resolves when the job's end is recorded, or when `unwrittenMs` have passed and its current state is recorded. Resolves at once if no
 * worker here takes it. Rejects if it cannot be written.
 */
export async function takeShortPath(core: Core, record: Record): Promise<Held | undefined> {
  const { id } = record.job;
  const lane = laneOf(record);
  const over = Promise.withResolvers<void>();
  const stop = core.projection.onChange((after) => {
    if (after === undefined || !isUnwritten(after)) over.resolve();
  }, id);
  const timer = setTimeout(over.resolve, core.rules.unwrittenMs);
  try {
    const isNewcomer = isIdle(core, lane, payerOf(record));
    core.projection.hold(record);
    core.waitingHere.set(id, lane);
    if (core.wakeUps.wakeHere(lane, { isNewcomer })) await over.promise;
    return await recorded(core, id);
  } finally {
    core.waitingHere.delete(id);
    clearTimeout(timer);
    stop();
  }
}

/** Writes the job to the store. During the write, nobody can claim or end it. */
async function recorded(core: Core, id: string): Promise<Held | undefined> {
  const known = core.projection.get(id);
  if (known === undefined || !isUnwritten(known)) return known;
  tellMoment("record due", id);
  const writing = core.records.change(id, (held) => (isUnwritten(held) ? held.record : undefined));
  const settled = writing.catch(() => undefined);
  core.beginnings.set(id, { payer: "", settled });
  try {
    return (await writing).after;
  } finally {
    core.beginnings.delete(id);
  }
}
