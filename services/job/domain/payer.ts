/** Who a job counts for. */
import type { Record } from "./state.ts";

/** The account, or for guests the address they come from. */
export function payerOf({ budget, job: { accountId } }: Pick<Record, "budget" | "job">): string {
  return budget === undefined || budget.id === "" ? accountId : budget.id;
}

/** A guest's job of before there were budgets is known by its account. */
export function isGuest({ budget, job: { accountId } }: Pick<Record, "budget" | "job">): boolean {
  return budget?.guest ?? accountId.startsWith("guest_");
}
