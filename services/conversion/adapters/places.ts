/** The places of one lane on this node, of which the last is kept for accounts that have nothing running (decision 11). */
import { setTimeout as sleep } from "node:timers/promises";

/** Whose job may begin. */
export type Guest = "anybody" | "idle account";

export type Places = {
  /**
   * Runs `work` for whoever may have the place that is free. `work` resolves with false when there was no job of such;
   * the kept place is then not asked for again for a moment, and free all the same for a newcomer who comes meanwhile.
   */
  use(work: (guest: Guest) => Promise<boolean>): Promise<void>;
  /** Whether there is a place for a job that comes now; a newcomer is an account with nothing running in the lane. */
  admits(isNewcomer: boolean): boolean;
};

/** How long a newcomer of another process may wait at a full lane that has work of others in store. */
const lookAgainMs = 100;

/** @param slots - Places for anybody. @param spare - How many are kept beyond them. */
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
