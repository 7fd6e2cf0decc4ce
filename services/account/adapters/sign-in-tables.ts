/**
 * How people prove who they are, in four key-value buckets.
 *
 *   credentials   <account id>                      Credentials: the password's slow hash
 *   sessions      <sha256 of the token>             Session, for as long as it is used
 *   links         <sha256 of the token>             LinkRecord, for a day
 *   identities    <sha256 of issuer and subject>    IdentityRecord
 */
import { CredentialsSchema, IdentityRecordSchema, LinkRecordSchema, SessionSchema } from "#gen/filemill/account/v1/sign_in_pb.ts";
import type { Broker } from "#kit/nats/ports.ts";
import type { SignInTables } from "../domain/directory.ts";
import { idleMs } from "../domain/sessions.ts";
import { linkLifeMs } from "../domain/sign-in.ts";
import { openTable } from "./table.ts";

/** Reads everything that is there and follows its changes. */
export async function followSignInTables(broker: Broker): Promise<SignInTables & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const [credentials, sessions, links, identities] = await Promise.all([
    openTable(broker, "credentials", CredentialsSchema),
    openTable(broker, "sessions", SessionSchema, idleMs),
    openLinks(broker),
    openTable(broker, "identities", IdentityRecordSchema),
  ]);
  for (const table of [credentials, sessions, links, identities]) stack.use(await table.follow());
  const owned = stack.move();
  return { credentials, sessions, links, identities, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

export function openLinks(broker: Broker) {
  return openTable(broker, "links", LinkRecordSchema, linkLifeMs);
}
