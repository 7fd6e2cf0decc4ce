/**
 * The short way of a job (decision 68): this process alone knows it until it ends, or until it takes too long for that. A worker of this
 * process claims it as it claims any other, when its turn comes in the lane; its end is the first that is written, and then told.
 */
import { tellMoment } from "#kit/moments.ts";
import { isIdle } from "./claim-job.ts";
import { payerOf } from "./payer.ts";
import type { Core } from "./ports.ts";
import { type Held, isUnwritten } from "./projection.ts";
import { laneOf, type Record } from "./state.ts";

/**
 * Resolves when the job's end is recorded, or after `unwrittenMs` when it is recorded as it is then; at once where nobody here takes it.
 * Rejects when it cannot be written.
 */
export async function takeShortWay(core: Core, record: Record): Promise<Held | undefined> {
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

/** The job in the store. While it is written nobody claims it, and nobody ends it. */
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
