/** A real nats-server in its own folder, for tests. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Log, openLog } from "#kit/log.ts";
import { type BrokerHost, openBroker } from "#kit/nats/broker.ts";

export type TestBroker = AsyncDisposable & {
  readonly broker: BrokerHost;
  readonly dataDir: string;
  /** Silent by default. */
  readonly log: Log;
};

/** Starts the broker; disposing stops it and removes the folder. */
export async function openTestBroker(log: Log = openLog("silent")): Promise<TestBroker> {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "filemill-broker-"));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const broker = stack.use(await openBroker({ dataDir, log }));
  const owned = stack.move();
  return { broker, dataDir, log, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
