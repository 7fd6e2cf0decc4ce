/** An account service of its own on a broker that several may share. */
import { type Client, createClient } from "@connectrpc/connect";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { type ErrorCode, fromConnectError } from "#kit/errors.ts";
import type { Broker } from "#kit/nats/ports.ts";
import { localTransport } from "#kit/rpc/local-transport.ts";
import { createAccountService } from "#services/account/index.ts";
import type { TestBroker } from "#test/harness/broker.ts";

export type Accounts = Client<typeof AccountService> & AsyncDisposable;

export async function openAccounts({ broker, log }: Pick<TestBroker, "log"> & { broker: Broker }, plansFile?: string): Promise<Accounts> {
  const service = createAccountService({ broker, log }, { PLANS_FILE: plansFile });
  await service.start();
  const client = createClient(
    AccountService,
    localTransport((router) => service.routes(router), log),
  );
  return { ...client, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** The code with which a call failed, or "none". */
export async function codeOfFailure(call: Promise<unknown>): Promise<ErrorCode | "none"> {
  try {
    await call;
    return "none";
  } catch (error) {
    return fromConnectError(error).code;
  }
}
