/** Operations on accounts. */
import { clone, create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ulid } from "ulid";
import { FilemillError } from "#contract/errors.ts";
import { type Account, AccountSchema, type Plan } from "#gen/filemill/account/v1/account_pb.ts";
import type { Directory, Records } from "./directory.ts";
import { parseEmail } from "./email.ts";
import type { Plans } from "./plans.ts";

export type AccountRef = { readonly id: string } | { readonly email: string };

/** Rejects with BAD_REQUEST, PLAN_NOT_FOUND or ACCOUNT_EXISTS. */
export async function createAccount(
  records: Records,
  plans: Plans,
  wanted: { email: string; plan: string; emailVerified: boolean; operator?: true },
): Promise<Account> {
  const account = create(AccountSchema, {
    id: `acc_${ulid()}`,
    email: parseEmail(wanted.email),
    plan: planOf(plans, wanted.plan).id,
    createdAt: timestampFromMs(Date.now()),
    emailVerified: wanted.emailVerified,
    operator: wanted.operator === true,
  });
  if (!(await records.createAccount(account)))
    throw new FilemillError("ACCOUNT_EXISTS", "An account with this e-mail address already exists.");
  return account;
}

/** Rejects with ACCOUNT_NOT_FOUND or PLAN_NOT_FOUND. */
export async function setPlan(records: Records, plans: Plans, account: Account, planId: string): Promise<Account> {
  const plan = planOf(plans, planId);
  return changeAccount(records, account, (next) => {
    next.plan = plan.id;
  });
}

/** Disabling again keeps the first time. Rejects with ACCOUNT_NOT_FOUND. */
export function setDisabled(records: Records, account: Account, disabled: boolean): Promise<Account> {
  return changeAccount(records, account, (next) => {
    if (disabled) next.disabledAt ??= timestampFromMs(Date.now());
    else delete next.disabledAt;
  });
}

/** Rejects with ACCOUNT_NOT_FOUND. */
export function setOperator(records: Records, account: Account, operator: boolean): Promise<Account> {
  return changeAccount(records, account, (next) => {
    next.operator = operator;
  });
}

/** From now on, everything that the account tries is refused. Rejects with ACCOUNT_NOT_FOUND. */
export function markDeleted(records: Records, account: Account): Promise<Account> {
  return changeAccount(records, account, (next) => {
    next.deletedAt ??= timestampFromMs(Date.now());
  });
}

/** Marks the e-mail address as verified. Rejects with ACCOUNT_NOT_FOUND. */
export function markVerified(records: Records, account: Account): Promise<Account> {
  return changeAccount(records, account, (next) => {
    next.emailVerified = true;
  });
}

async function changeAccount(records: Records, account: Account, change: (next: Account) => void): Promise<Account> {
  const changed = await records.changeAccount(account.id, (present) => {
    const next = clone(AccountSchema, present);
    change(next);
    return next;
  });
  return changed ?? accountMissing();
}

/** Neither disabled nor being deleted. */
export function isOpen(account: Account | undefined): account is Account {
  return account !== undefined && account.disabledAt === undefined && account.deletedAt === undefined;
}

/** Throws ACCOUNT_NOT_FOUND. */
export function accountOf(directory: Directory, ref: AccountRef): Account {
  const account = "id" in ref ? directory.account(ref.id) : directory.accountByEmail(parseEmail(ref.email));
  return account === undefined || account.deletedAt !== undefined ? accountMissing() : account;
}

/** Throws PLAN_NOT_FOUND. */
export function planOf(plans: Plans, id: string): Plan {
  const plan = plans.get(id);
  if (plan === undefined)
    throw new FilemillError("PLAN_NOT_FOUND", `There is no plan "${id}"; choose one of: ${[...plans.keys()].join(", ")}.`, {
      details: { plan: id, allowed: [...plans.keys()] },
    });
  return plan;
}

function accountMissing(): never {
  throw new FilemillError("ACCOUNT_NOT_FOUND", "There is no such account; check the id or the e-mail address.");
}
