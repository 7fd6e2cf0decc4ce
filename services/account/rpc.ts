import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountRef as AccountRefMessage, AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { FilemillError } from "#kit/errors.ts";
import { accessOf } from "./domain/access.ts";
import { type AccountRef, accountOf, createAccount, createKey, planOf, revokeKey, setPlan } from "./domain/accounts.ts";
import type { Directory, Records } from "./domain/directory.ts";
import type { LastUse } from "./domain/last-use.ts";
import type { Plans } from "./domain/plans.ts";

export type AccountState = {
  readonly plans: Plans;
  readonly records: Records;
  readonly directory: Directory;
  readonly lastUse: LastUse;
};

/** `state` throws UNAVAILABLE until the service has started. */
export function createAccountRpc(state: () => AccountState): ServiceImpl<typeof AccountService> {
  const find = (ref: AccountRefMessage | undefined) => accountOf(state().directory, parseRef(ref));
  return {
    verifyKey(request) {
      const { directory, plans, lastUse } = state();
      const { account, plan, key, hash } = accessOf(request.key, directory, plans);
      lastUse.note(hash, key);
      return { account, plan, key };
    },
    createKey: (request) => createKey(state().records, find(request.account), request.name),
    listKeys: (request) => ({ keys: [...state().directory.keysOf(find(request.account).id)] }),
    revokeKey: async (request) => ({ key: await revokeKey(state().records, state().directory, request.keyId) }),
    createAccount: async (request) => ({ account: await createAccount(state().records, state().plans, request) }),
    getAccount(request) {
      const account = find(request.account);
      return { account, plan: planOf(state().plans, account.plan) };
    },
    listAccounts: () => ({ accounts: [...state().directory.accounts()] }),
    setPlan: async (request) => ({ account: await setPlan(state().records, state().plans, find(request.account), request.plan) }),
    listPlans: () => ({ plans: [...state().plans.values()] }),
  };
}

function parseRef(message: AccountRefMessage | undefined): AccountRef {
  const ref = message?.ref;
  if (ref?.case === "id") return { id: ref.value };
  if (ref?.case === "email") return { email: ref.value };
  throw new FilemillError("BAD_REQUEST", "Name the account by its id or its e-mail address.");
}
