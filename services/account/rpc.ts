import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { FilemillError } from "#contract/errors.ts";
import {
  type Account,
  type AccountRef as AccountRefMessage,
  type AccountService,
  PresetShelfSchema,
} from "#gen/filemill/account/v1/account_pb.ts";
import type { SignInService } from "#gen/filemill/account/v1/sign_in_pb.ts";
import { accessOf, planWithAccess } from "./domain/access.ts";
import { type AccountRef, accountOf, createAccount, planOf, setDisabled, setOperator, setPlan } from "./domain/accounts.ts";
import { type Belonging, type Deletions, deleteAccount } from "./domain/delete-account.ts";
import type { AccountTables } from "./domain/directory.ts";
import { signInByIdentity } from "./domain/identities.ts";
import { checkKeyCount, createKey, renameKey, revokeKey } from "./domain/keys.ts";
import type { LastUse } from "./domain/last-use.ts";
import { setPresets } from "./domain/presets.ts";
import type { QuietWrites } from "./domain/quiet-writes.ts";
import { catchUp, endSession, endSessions, isFreshFromLink, noteSeen, sessionOf, sessionsOf } from "./domain/sessions.ts";
import { confirm, createLink, type House, openPlan, passwordHashOf, setPassword, signIn, signInByLink, signUp } from "./domain/sign-in.ts";

export type AccountState = House & {
  readonly tables: AccountTables;
  readonly lastUse: LastUse;
  readonly writes: QuietWrites;
  readonly belongings: readonly Belonging[];
  readonly deletions: Deletions;
};

/** `state` throws UNAVAILABLE until the service has started. */
export function createAccountRpc(state: () => AccountState): ServiceImpl<typeof AccountService> {
  const find = (ref: AccountRefMessage | undefined) => accountOf(state().directory, parseRef(ref));
  return {
    verifyKey(request) {
      const { directory, plans, lastUse } = state();
      const { account, plan, key, hash } = accessOf(request, directory, plans);
      lastUse.note(hash, key);
      return { account, plan, key };
    },
    createKey(request) {
      const { records, directory, plans } = state();
      const account = find(request.account);
      if (request.needsApiAccess) planWithAccess(plans, account);
      checkKeyCount(directory, account);
      return createKey(records, account, request);
    },
    listKeys: (request) => ({ keys: [...state().directory.keysOf(find(request.account).id)] }),
    revokeKey: async (request) => ({ key: await revokeKey(state().records, state().directory, request) }),
    renameKey: async (request) => ({ key: await renameKey(state().records, state().directory, request, request.name) }),
    // The operator vouches for the address.
    createAccount: async ({ email, plan }) => ({
      account: await createAccount(state().records, state().plans, { email, plan, emailVerified: true }),
    }),
    getAccount(request) {
      const account = find(request.account);
      return { account, plan: planOf(state().plans, account.plan) };
    },
    getPresets({ accountId }) {
      const shelf = state().tables.presets.get(accountId);
      return shelf === undefined ? {} : { shelf };
    },
    async setPresets({ accountId, shelf }) {
      const account = accountOf(state().directory, { id: accountId });
      await setPresets(state().tables, account.id, shelf ?? create(PresetShelfSchema));
      return {};
    },
    listAccounts: () => ({
      accounts: state()
        .directory.accounts()
        .filter(({ deletedAt }) => deletedAt === undefined),
    }),
    setPlan: async (request) => ({ account: await setPlan(state().records, state().plans, find(request.account), request.plan) }),
    async setDisabled(request) {
      const account = await setDisabled(state().records, find(request.account), request.disabled);
      if (request.disabled) await endSessions(state().tables.sessions, account.id);
      return { account };
    },
    setOperator: async (request) => ({ account: await setOperator(state().records, find(request.account), request.operator) }),
    async deleteAccount(request) {
      await deleteWhole(state(), find(request.account));
      return {};
    },
    listPlans: () => ({ plans: [...state().plans.values()] }),
  };
}

async function deleteWhole(state: AccountState, account: Account): Promise<void> {
  try {
    await deleteAccount(state, state.belongings, account);
  } catch (error) {
    const left = state.directory.account(account.id);
    // The account is already blocked everywhere, so finish the deletion without another request.
    if (left?.deletedAt !== undefined) state.deletions.finish(left);
    throw error;
  }
}

/** `state` throws UNAVAILABLE until the service has started. */
export function createSignInRpc(state: () => AccountState): ServiceImpl<typeof SignInService> {
  return {
    signUp: (request) => signUp(state(), request),
    signIn: (request) => signIn(state(), request),
    signInByLink: ({ token }) => signInByLink(state(), token),
    signInByIdentity: (request) => signInByIdentity(state(), request, request.plan),
    async verifySession({ sessionToken }) {
      const { tables, directory, plans, writes } = state();
      await catchUp(tables.sessions, directory, sessionToken);
      const { account, session } = sessionOf(tables.sessions, directory, sessionToken);
      noteSeen(tables.sessions, writes, sessionToken);
      const hasPassword = passwordHashOf(tables, account.id) !== undefined;
      const needsCurrentPassword = hasPassword && !isFreshFromLink(session);
      return { account, plan: planOf(plans, account.plan), session, hasPassword, needsCurrentPassword };
    },
    listSessions(request) {
      const { tables, directory } = state();
      return { sessions: sessionsOf(tables.sessions, accountOf(directory, parseRef(request.account)).id) };
    },
    async endSession({ sessionToken }) {
      await endSession(state().tables.sessions, sessionToken);
      return {};
    },
    async endSessions(request) {
      const { tables, directory } = state();
      await endSessions(tables.sessions, accountOf(directory, parseRef(request.account)).id);
      return {};
    },
    async setPassword(request) {
      await setPassword(state(), request);
      return {};
    },
    async confirm(request) {
      await confirm(state(), request);
      return {};
    },
    async createLink(request) {
      const { tables, directory } = state();
      const { token, link } = await createLink(tables, accountOf(directory, parseRef(request.account)));
      return { token, ...(link.expiresAt === undefined ? {} : { expiresAt: link.expiresAt }) };
    },
    getSignUp() {
      const { plans, signUpOpen } = state();
      const plan = plans.get(openPlan);
      return { open: signUpOpen, ...(plan === undefined ? {} : { plan }) };
    },
  };
}

/** Throws BAD_REQUEST. */
function parseRef(message: AccountRefMessage | undefined): AccountRef {
  const ref = message?.ref;
  if (ref?.case === "id") return { id: ref.value };
  if (ref?.case === "email") return { email: ref.value };
  throw new FilemillError("BAD_REQUEST", "Name the account by its id or its e-mail address.");
}
