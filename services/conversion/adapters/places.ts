/** The places of one lane on this node. The last one is reserved for accounts that have nothing running (decision 11). */
import { setTimeout as sleep } from "node:timers/promises";

/** Whose job may start. */
export type Guest = "anybody" | "idle account";

export type Places = {
  /**
   * Runs `work` for whoever may use the free place. `work` resolves with false if there was no job for such an account. Then the reserved
   * place makes no further request for a moment, but stays free for a newcomer who arrives meanwhile.
   */
  use(work: (guest: Guest) => Promise<boolean>): Promise<void>;
  /** Whether there is a place for a job that arrives now. A newcomer is an account with nothing running in the lane. */
  admits(isNewcomer: boolean): boolean;
};

/** How long a newcomer from another process may wait at a full lane that has other accounts' work queued. */
const lookAgainMs = 100;

/** @param slots - Places for everybody. @param spare - Additional places that are reserved. */
export function createPlaces(slots: number, spare: number): Places {
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
    admits: (isNewcomer) => taken < slots + (isNewcomer ? spare : 0),
  };
}
