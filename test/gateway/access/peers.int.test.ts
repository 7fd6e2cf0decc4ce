import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPeers, type Peers } from "#gateway/access/peers.ts";
import { createRateLimits } from "#gateway/access/rate-limit.ts";
import { createThrottle } from "#gateway/access/throttle.ts";
import { openLog } from "#kit/log.ts";
import { openBroker } from "#kit/nats/broker.ts";
import type { Channel } from "#kit/nats/ports.ts";
import { freePorts } from "#test/faults/deployment.ts";
import { keep } from "#test/faults/keeper.ts";

const stack = new AsyncDisposableStack();
let url: string;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "filemill-peers-"));
  stack.defer(() => rm(home, { recursive: true, force: true }));
  const [port = 0] = await freePorts(1);
  const config = join(home, "server.conf");
  await writeFile(config, `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${home}" }\n`);
  const env = { PATH: `${process.env.PATH}:/usr/sbin` };
  stack.use(keep({ name: "nats", command: ["nats-server", "--config", config], env, logFile: join(home, "nats.log") }));
  url = `nats://127.0.0.1:${port}`;
});
afterAll(() => stack.disposeAsync());

type Gateways = {
  readonly peers: readonly [Peers, Peers];
  /** All messages sent between them. */
  readonly said: readonly string[];
  /** Resolves once the second gateway has received every count that the first one has sent so far. */
  told(): Promise<void>;
};

/** Two gateways, as on separate hosts. */
async function gateways(): Promise<Gateways> {
  const said: string[] = [];
  const channel = async (): Promise<Channel | undefined> =>
    stack.use(await openBroker({ dataDir: home, cluster: { url }, log: openLog("silent") })).openCounts();
  const [a, b, listener] = await Promise.all([channel(), channel(), channel()]);
  listener?.listen((text) => said.push(text));
  const peers = [createPeers(a), createPeers(b)] as const;
  let heard = 0;
  peers[1].hear("probe", {
    added(_, points) {
      heard += points;
    },
    forgotten: () => undefined,
  });
  let asked = 0;
  const told = async (): Promise<void> => {
    peers[0].add("probe", "", 1);
    asked += 1;
    await expect.poll(() => heard, { timeout: 60_000, interval: 10 }).toBe(asked);
  };
  await told();
  return { peers, said, told };
}

const isRefused = (call: Promise<void> | undefined) =>
  call?.then(
    () => false,
    (error: unknown) => error instanceof Error && "code" in error && error.code === "RATE_LIMITED",
  );

test("the rate limit counts requests at all gateways, which exchange counts in batches", async () => {
  const { peers, said, told } = await gateways();
  const before = said.length;
  const [one, other] = peers.map(createRateLimits);
  for (let n = 0; n < 300; n += 1) expect((await one?.count("convert", "an account", 301))?.refusal).toBeUndefined();
  await told();
  expect(said.length - before).toBeLessThan(60);
  expect((await other?.count("convert", "an account", 301))?.refusal).toBeUndefined();
  expect((await other?.count("convert", "an account", 301))?.refusal?.code).toBe("RATE_LIMITED");
  expect((await other?.count("convert", "another", 301))?.refusal).toBeUndefined();
  await expect.poll(() => one?.used("convert", "an account", 301)).toBe(301);
});

test("failed sign-in attempts are counted across gateways, and a successful one resets the count at all of them", async () => {
  const { peers, said, told } = await gateways();
  const [one, other] = peers.map((each) => createThrottle(each));
  const attempt = { client: "192.0.2.7", subject: "zoe@example.org" };
  for (let n = 0; n < 8; n += 1) await one?.attempt(attempt);
  for (let n = 0; n < 10; n += 1) await one?.confirm("a session");
  await told();
  expect(await isRefused(other?.attempt(attempt))).toBe(true);
  expect(await isRefused(other?.confirm("a session"))).toBe(true);
  await one?.succeeded(attempt);
  await one?.confirmed("a session");
  await told();
  expect(await isRefused(other?.attempt(attempt))).toBe(false);
  expect(await isRefused(other?.confirm("a session"))).toBe(false);
  expect(said.join()).not.toMatch(/zoe|192\.0\.2|a session/);
});
