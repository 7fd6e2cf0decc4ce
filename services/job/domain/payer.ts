/** Whom a job counts for. */
import type { Record } from "./state.ts";

/** The account or, for guests, their address. */
export function payerOf({ budget, job: { accountId } }: Pick<Record, "budget" | "job">): string {
  return budget === undefined || budget.id === "" ? accountId : budget.id;
}

/** A guest's job without a budget, as older versions recorded it, is recognised by its account. */
export function isGuest({ budget, job: { accountId } }: Pick<Record, "budget" | "job">): boolean {
  return budget?.guest ?? accountId.startsWith("guest_");
}
