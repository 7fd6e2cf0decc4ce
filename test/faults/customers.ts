/** Accounts with a key and a webhook each, and the receiver of their messages. */

import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { FilemillError, fromConnectError } from "#contract/errors.ts";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { remoteTransport } from "#kit/rpc/transport.ts";
import type { Deployment } from "./deployment.ts";
import type { Customer } from "./ledger.ts";

const maxTries = 600;

/** @param receiver - Is notified of the end of every job; optional. */
export async function openCustomers(
  { url, accounts, token }: Pick<Deployment, "url" | "accounts" | "token">,
  count: number,
  receiver: string | undefined,
  seed: number,
): Promise<[Customer, ...Customer[]]> {
  const client = createClient(AccountService, remoteTransport(accounts, token));
  await untilThere(() => client.verifyKey({ key: "none" }));
  const open = async (index: number): Promise<Customer> => {
    const email = `customer-${seed}-${index}@example.org`;
    const { account } = await client.createAccount({ email, plan: "plus" });
    const { secret } = await client.createKey({ account: { ref: { case: "email", value: email } } });
    if (receiver !== undefined) await openWebhook(url, secret, receiver);
    return { accountId: account?.id ?? "", key: secret };
  };
  const first = await open(0);
  const others = await Promise.all(Array.from({ length: count - 1 }, (_, index) => open(index + 1)));
  return [first, ...others];
}

async function openWebhook(url: string, key: string, receiver: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const ask = () => fetch(`${url}/api/v1/webhooks`, { method: "POST", headers, body: JSON.stringify({ url: receiver }) });
  let answer = await ask();
  // The webhook service may still be starting.
  for (let tries = 1; answer.status === 503 && tries < maxTries; tries += 1) {
    await sleep(100);
    answer = await ask();
  }
  if (answer.status !== 201) throw new Error(`a webhook was answered ${answer.status}: ${await answer.text()}`);
}

/** Resolves with the first answer of any kind from a service that may still be starting. */
async function untilThere(call: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const failure: unknown = await call().catch(fromConnectError);
    const isAway = failure instanceof FilemillError && failure.code === "UNAVAILABLE";
    if (!isAway || tries === maxTries) return;
    await sleep(100);
  }
}
