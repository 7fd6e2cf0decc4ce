import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { FilemillError } from "#kit/errors.ts";
import type { Log } from "#kit/log.ts";
import type { Broker } from "#kit/nats/ports.ts";
import type { Service } from "#kit/service.ts";
import { openDirectory } from "./adapters/directory.ts";
import { readPlans } from "./adapters/plans-file.ts";
import { createRecords, openBuckets } from "./adapters/records.ts";
import type { AccountSettings } from "./config.ts";
import { createFirstAccount } from "./domain/first-account.ts";
import { createLastUse } from "./domain/last-use.ts";
import { type AccountState, createAccountRpc } from "./rpc.ts";

export type AccountDeps = { readonly broker: Broker; readonly log: Log };

/** Accounts, plans and API keys. `start` rejects with SettingError when PLANS_FILE is not right. */
export function createAccountService({ broker, log }: AccountDeps, settings: AccountSettings): Service {
  const stack = new AsyncDisposableStack();
  let state: AccountState | undefined;
  const started = (): AccountState => {
    if (state !== undefined) return state;
    throw new FilemillError("UNAVAILABLE", "Accounts are not ready yet; try again.", { retryAfterMs: 1000 });
  };
  return {
    name: "account",
    routes: (router) => void router.service(AccountService, createAccountRpc(started)),
    async start() {
      const plans = await readPlans(settings.PLANS_FILE);
      const buckets = await openBuckets(broker);
      const directory = stack.use(await openDirectory(buckets));
      const records = createRecords(buckets, directory.listener);
      const lastUse = stack.use(createLastUse(records, log));
      state = { plans, records, directory, lastUse };
    },
    drain: async () => undefined,
    readiness: () => (state === undefined ? { ready: false, part: "account" } : { ready: true }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** On an empty store creates the account local@filemill.localhost and resolves with its key, which is told this once; else undefined. */
export async function ensureFirstAccount({
  broker,
  settings,
}: Pick<AccountDeps, "broker"> & { settings: AccountSettings }): Promise<string | undefined> {
  const plans = await readPlans(settings.PLANS_FILE);
  return createFirstAccount(createRecords(await openBuckets(broker)), plans);
}
