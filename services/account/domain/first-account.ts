import { FilemillError } from "#kit/errors.ts";
import { createAccount, createKey } from "./accounts.ts";
import type { Records } from "./directory.ts";
import type { Plans } from "./plans.ts";

export const firstEmail = "local@filemill.localhost";

/**
 * Creates the local account with one key and resolves with that key, the first time only: of several processes that start
 * on one empty store, the one that wins the address gets the key, the others undefined.
 */
export async function createFirstAccount(records: Records, plans: Plans): Promise<string | undefined> {
  const plan = plans.get("plus") ?? [...plans.values()].find((candidate) => candidate.apiAccess);
  if (plan === undefined) return undefined;
  try {
    const account = await createAccount(records, plans, { email: firstEmail, plan: plan.id });
    const { secret } = await createKey(records, account, "first start");
    return secret;
  } catch (error) {
    if (error instanceof FilemillError && error.code === "ACCOUNT_EXISTS") return undefined;
    throw error;
  }
}
