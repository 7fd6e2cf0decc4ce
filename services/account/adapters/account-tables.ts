/**
 * Sign-in data and presets of accounts, in five key-value buckets.
 *
 *   credentials   <account id>                      Credentials: the password's slow hash
 *   sessions      <sha256 of the token>             Session, for as long as it is used
 *   links         <sha256 of the token>             LinkRecord, for a day
 *   identities    <sha256 of issuer and subject>    IdentityRecord
 *   presets       <account id>                      PresetShelf
 */
import { PresetShelfSchema } from "#gen/filemill/account/v1/account_pb.ts";
import { CredentialsSchema, IdentityRecordSchema, LinkRecordSchema, SessionSchema } from "#gen/filemill/account/v1/sign_in_pb.ts";
import type { Broker } from "#kit/nats/ports.ts";
import { openTable } from "#kit/nats/table.ts";
import type { AccountTables } from "../domain/directory.ts";
import { idleMs } from "../domain/sessions.ts";
import { linkLifeMs } from "../domain/sign-in.ts";

/** Loads all five tables and follows their changes. */
export async function followAccountTables(broker: Broker): Promise<AccountTables & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const [credentials, sessions, links, identities, presets] = await Promise.all([
    openTable(broker, "credentials", CredentialsSchema),
    openTable(broker, "sessions", SessionSchema, { ttlMs: idleMs }),
    openLinks(broker),
    openTable(broker, "identities", IdentityRecordSchema),
    openTable(broker, "presets", PresetShelfSchema),
  ]);
  for (const table of [credentials, sessions, links, identities, presets]) stack.use(await table.follow());
  const owned = stack.move();
  return { credentials, sessions, links, identities, presets, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

export function openLinks(broker: Broker) {
  return openTable(broker, "links", LinkRecordSchema, { ttlMs: linkLifeMs });
}
