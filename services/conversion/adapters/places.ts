/** The places of one lane on this node, of which the last is kept for accounts that have nothing running (decision 11). */
import { setTimeout as sleep } from "node:timers/promises";

/** Whose job may begin. */
export type Guest = "anybody" | "idle account";

export type Places = {
  /**
   * Runs `work` for whoever may have the place that is free. `work` resolves with false when there was no job of such;
   * the kept place then stays taken for a moment, so that it is not asked for without end.
   */
  use(work: (guest: Guest) => Promise<boolean>): Promise<void>;
};

/** How long a newcomer may wait at a full lane that has work of others in store. */
const lookAgainMs = 100;

/** @param slots - Places for anybody; whatever is in use beyond them is for idle accounts. */
export function createPlaces(slots: number): Places {
  let taken = 0;
  return {
    async use(work) {
      const guest = taken < slots ? "anybody" : "idle account";
      taken += 1;
      const found = await work(guest).finally(() => {
        taken -= 1;
      });
      if (!found && guest === "idle account") await sleep(lookAgainMs);
    },
  };
}
