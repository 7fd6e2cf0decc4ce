/** Clients and their ledger around one fault. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { entriesOf } from "#test/harness/folders.ts";
import { openReceiver } from "#test/services/webhook/webhook-harness.ts";
import { untilServed } from "./client.ts";
import { openCustomers } from "./customers.ts";
import { type Deployment, untilReady } from "./deployment.ts";
import { untilAtRest, type Verdict, verdictOn } from "./invariants.ts";
import { type Customer, type Ledger, noteMessage, openLedger } from "./ledger.ts";
import { type Load, startLoad } from "./load.ts";
import { openMenu } from "./orders.ts";
import { type RecordWatch, watchRecords } from "./records.ts";
import { sweepNow } from "./sweep.ts";

export type Scene = AsyncDisposable & {
  readonly ledger: Ledger;
  readonly customers: readonly [Customer, ...Customer[]];
  readonly watch: RecordWatch;
  readonly load: Load;
  /** Stops requests, waits until everything is at rest, and returns what is wrong. */
  end(): Promise<Verdict & { readonly requests: number }>;
};

export type SceneOptions = {
  readonly seed: number;
  readonly clients: number;
  /** Whether webhooks are notified too; default true. */
  readonly hasReceiver?: boolean;
};

/** Opens accounts and starts the clients. */
export async function openScene(deployment: Deployment, { seed, clients, hasReceiver = true }: SceneOptions): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  await untilReady(deployment.url);
  const ledger = openLedger(hasReceiver);
  const receiver = stack.use(
    await openReceiver(({ headers, body }) => {
      noteMessage(ledger, headers, body);
      return 200;
    }),
  );
  const customers = await openCustomers(deployment, 3, hasReceiver ? receiver.url : undefined, seed);
  const watch = stack.use(await watchRecords(deployment));
  const look = setInterval(() => void noteOwners(ledger, deployment.dataDir), 100);
  stack.defer(() => clearInterval(look));
  const load = startLoad({ deployment, ledger, customers, menu: await openMenu(), seed, clients });
  const owned = stack.move();
  return {
    ...{ ledger, customers, watch, load },
    async end() {
      await load.stop();
      return { ...(await endOf({ deployment, ledger, watch, customer: customers[0] })), requests: ledger.requests };
    },
    async [Symbol.asyncDispose]() {
      await load.stop();
      await owned.disposeAsync();
    },
  };
}

async function noteOwners({ owners }: Ledger, dataDir: string): Promise<void> {
  for (const { name } of await entriesOf(join(dataDir, "scratch"))) owners.add(name);
}

export type Ending = {
  readonly deployment: Deployment;
  readonly ledger: Ledger;
  readonly watch: RecordWatch;
  readonly customer: Customer;
};

/** Returns what is wrong once everything is at rest and has been swept. */
export async function endOf({ deployment, ledger, watch, customer }: Ending): Promise<Verdict> {
  await untilServed(deployment.url, customer.key);
  if (!(await untilAtRest(watch))) ledger.defects.push("some jobs had not ended three minutes after the last fault");
  ledger.defects.push(...(await sweepNow(deployment, customer)));
  return verdictOn(deployment, ledger, watch);
}

/** Waits until the clients know this many more jobs, or for five minutes: the machine may be busy. */
export async function untilBusy({ ledger }: Pick<Scene, "ledger">, more: number): Promise<void> {
  const enough = ledger.accepted.size + more;
  for (const until = performance.now() + 300_000; ledger.accepted.size < enough && performance.now() < until; ) await sleep(50);
}
