import type { Client } from "@connectrpc/connect";
import { FilemillError } from "#contract/errors.ts";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { SignInService } from "#gen/filemill/account/v1/sign_in_pb.ts";
import type { JobService } from "#gen/filemill/job/v1/job_pb.ts";
import type { WebhookService } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import type { Log } from "#kit/log.ts";
import type { Broker } from "#kit/nats/ports.ts";
import { notReady } from "#kit/readiness.ts";
import type { Service } from "#kit/service.ts";
import type { Settings } from "#kit/settings.ts";
import { followAccountTables, openLinks } from "./adapters/account-tables.ts";
import { openDirectory } from "./adapters/directory.ts";
import { readPlans } from "./adapters/plans-file.ts";
import { createRecords, openBuckets } from "./adapters/records.ts";
import { createScryptHasher } from "./adapters/scrypt-hasher.ts";
import { type Belonging, createDeletions } from "./domain/delete-account.ts";
import { createFirstAccount, type FirstAccount } from "./domain/first-account.ts";
import { createLastUse } from "./domain/last-use.ts";
import type { Hasher } from "./domain/password.ts";
import { createQuietWrites } from "./domain/quiet-writes.ts";
import { openPlan } from "./domain/sign-in.ts";
import { type AccountState, createAccountRpc, createSignInRpc } from "./rpc.ts";

export type { FirstAccount } from "./domain/first-account.ts";

/** The settings that the account service reads. */
export type AccountSettings = Pick<Settings, "PLANS_FILE" | "SIGN_UP">;

export type AccountDeps = {
  readonly broker: Broker;
  readonly log: Log;
  /** What is deleted in other services along with an account. */
  readonly belongings: readonly Belonging[];
  readonly hasher?: Hasher;
};

/** Accounts, plans, API keys, sign-in. `start` rejects with SettingError if PLANS_FILE is invalid. */
export function createAccountService(
  { broker, log, belongings, hasher = createScryptHasher() }: AccountDeps,
  settings: AccountSettings,
): Service {
  const stack = new AsyncDisposableStack();
  let state: AccountState | undefined;
  const started = (): AccountState => {
    if (state !== undefined) return state;
    throw new FilemillError("UNAVAILABLE", "Accounts are not ready yet; try again.", { retryAfterMs: 1000 });
  };
  return {
    name: "account",
    routes(router) {
      router.service(AccountService, createAccountRpc(started));
      router.service(SignInService, createSignInRpc(started));
    },
    async start() {
      const plans = await readPlans(settings.PLANS_FILE);
      const buckets = await openBuckets(broker);
      const tables = stack.use(await followAccountTables(broker));
      const directory = stack.use(await openDirectory(buckets));
      const records = createRecords(buckets, directory.listener);
      const lastUse = stack.use(createLastUse(records, log));
      const writes = stack.use(createQuietWrites(log, "account.background-write-failed"));
      const signUpOpen = settings.SIGN_UP === "open" && plans.has(openPlan);
      const deletions = stack.use(createDeletions({ records, directory, tables }, belongings, log));
      state = { plans, records, directory, tables, hasher, signUpOpen, lastUse, writes, belongings, deletions };
      for (const account of directory.accounts()) {
        if (account.deletedAt !== undefined) deletions.finish(account);
      }
    },
    drain: async () => undefined,
    readiness: () => (state === undefined ? notReady("account") : { ready: true }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** An account's jobs with their files. */
export function jobsOfAccounts(jobs: Pick<Client<typeof JobService>, "deleteJobs">): Belonging {
  return { name: "jobs", removeAll: async (accountId) => void (await jobs.deleteJobs({ accountId })) };
}

export function webhooksOfAccounts(webhooks: Pick<Client<typeof WebhookService>, "deleteAccountWebhooks">): Belonging {
  return { name: "webhooks", removeAll: async (accountId) => void (await webhooks.deleteAccountWebhooks({ accountId })) };
}

/** On an empty store, creates the account local@filemill.localhost and resolves with what is shown only this once; otherwise undefined. */
export async function ensureFirstAccount({
  broker,
  settings,
}: Pick<AccountDeps, "broker"> & { settings: Pick<AccountSettings, "PLANS_FILE"> }): Promise<FirstAccount | undefined> {
  const plans = await readPlans(settings.PLANS_FILE);
  return createFirstAccount(createRecords(await openBuckets(broker)), { links: await openLinks(broker) }, plans);
}
