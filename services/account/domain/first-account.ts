import { FilemillError } from "#contract/errors.ts";
import { createAccount } from "./accounts.ts";
import type { Records, SignInTables } from "./directory.ts";
import { createKey } from "./keys.ts";
import type { Plans } from "./plans.ts";
import { createLink } from "./sign-in.ts";

const firstEmail = "local@filemill.localhost";

/** Shown once, on the very first start. */
export type FirstAccount = { readonly key: string; readonly linkToken: string };

/**
 * Creates the local account, which is an operator, and resolves with its key and a one-time sign-in link. This happens once: when several
 * processes start on one empty store, the process that claims the address gets them and the others get undefined.
 */
export async function createFirstAccount(
  records: Records,
  tables: Pick<SignInTables, "links">,
  plans: Plans,
): Promise<FirstAccount | undefined> {
  const plan = plans.get("plus") ?? [...plans.values()].find((candidate) => candidate.apiAccess);
  if (plan === undefined) return undefined;
  try {
    const account = await createAccount(records, plans, { email: firstEmail, plan: plan.id, emailVerified: true, operator: true });
    const { secret } = await createKey(records, account, { name: "first start" });
    return { key: secret, linkToken: (await createLink(tables, account)).token };
  } catch (error) {
    if (error instanceof FilemillError && error.code === "ACCOUNT_EXISTS") return undefined;
    throw error;
  }
}
