/** An account service on a broker that several services may share. */
import { type Client, createClient } from "@connectrpc/connect";
import { type ErrorCode, fromConnectError } from "#contract/errors.ts";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { SignInService } from "#gen/filemill/account/v1/sign_in_pb.ts";
import type { Broker } from "#kit/nats/ports.ts";
import { localTransport } from "#kit/rpc/local-transport.ts";
import { createScryptHasher } from "#services/account/adapters/scrypt-hasher.ts";
import type { Belonging } from "#services/account/domain/delete-account.ts";
import type { Hasher } from "#services/account/domain/password.ts";
import { createAccountService } from "#services/account/index.ts";
import type { TestBroker } from "#test/harness/broker.ts";

export type Accounts = Client<typeof AccountService> & Client<typeof SignInService> & AsyncDisposable;

type Options = {
  readonly plansFile?: string;
  readonly signUp?: "open" | "closed";
  readonly hasher?: Hasher;
  readonly belongings?: readonly Belonging[];
};

/** Hashes in a millisecond instead of the quarter of a second that the real parameters take. */
export const quickHasher = (): Hasher => createScryptHasher({ ln: 4, r: 1, p: 1 });

export async function openAccounts(
  { broker, log }: Pick<TestBroker, "log"> & { broker: Broker },
  options: Options = {},
): Promise<Accounts> {
  const { plansFile, signUp = "open", hasher = quickHasher(), belongings = [] } = options;
  const service = createAccountService({ broker, log, belongings, hasher }, { PLANS_FILE: plansFile, SIGN_UP: signUp });
  await service.start();
  const transport = localTransport((router) => service.routes(router), log);
  return {
    ...createClient(AccountService, transport),
    ...createClient(SignInService, transport),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** The error code of a failed call, or "none". */
export async function codeOfFailure(call: Promise<unknown>): Promise<ErrorCode | "none"> {
  try {
    await call;
    return "none";
  } catch (error) {
    return fromConnectError(error).code;
  }
}
