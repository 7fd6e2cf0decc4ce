/** Filemill on eight hosts: three brokers, two gateways, three workers with different engines, and an S3 server. */
import { mkdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root, servingArguments, servingEnvironment } from "#gateway/setup/node.mjs";
import { untilReady } from "#test/faults/deployment.ts";
import { type Keeper, keep } from "#test/faults/keeper.ts";
import { type Mount, mountMemory } from "#test/faults/mounts.ts";
import { type NatsCluster, openNatsCluster } from "#test/harness/nats-cluster.ts";
import { addressOf, type Network, openNetwork } from "./network.ts";
import { openS3Server, type S3Server } from "./s3-server.ts";

export type Host = { readonly address: string; readonly keeper: Keeper; readonly logFile: string };

export type Hosts = AsyncDisposable & {
  readonly network: Network;
  readonly nats: NatsCluster;
  readonly s3: S3Server;
  readonly gateways: readonly Host[];
  readonly urls: readonly string[];
  readonly workers: readonly Host[];
  /** Of the last worker. */
  readonly scratchDisk: Mount;
  readonly key: string;
};

const rpcPort = 8081;
const plans = {
  free: { apiAccess: false, maxInputMb: 25, requestsPerMinute: 10, maxUnfinishedJobs: 5, retentionSeconds: 3600 },
  plus: { apiAccess: true, maxInputMb: 500, requestsPerMinute: 1_000_000, maxUnfinishedJobs: 1000, retentionSeconds: 86_400 },
};
/** Each kind of work runs on two of the three. */
const engines = [
  { IMAGE_SLOTS: "1", DOCUMENT_SLOTS: "1", MEDIA_SLOTS: "0" },
  { IMAGE_SLOTS: "0", DOCUMENT_SLOTS: "1", MEDIA_SLOTS: "1" },
  { IMAGE_SLOTS: "1", DOCUMENT_SLOTS: "1", MEDIA_SLOTS: "1" },
];

/** Only the first worker is started. */
export async function openHosts(home: string): Promise<Hosts> {
  await using stack = new AsyncDisposableStack();
  const network = stack.use(openNetwork());
  const [brokers, gatewayHosts, workerHosts] = [
    [11, 12, 13],
    [21, 22],
    [31, 32, 33],
  ].map((numbers) => numbers.map(addressOf));
  for (const address of [...(brokers ?? []), ...(gatewayHosts ?? []), ...(workerHosts ?? [])]) network.addHost(address);
  const [nats, s3] = await Promise.all([
    openNatsCluster({ home, addresses: brokers ?? [], at: network.at }),
    openS3Server(join(home, "s3"), network.ownAddress),
  ]);
  stack.use(nats);
  stack.use(s3);
  await writeFile(join(home, "plans.json"), JSON.stringify(plans));
  const start = (name: string, address: string, main: string, own: Readonly<Record<string, string>>): Host => {
    const command = network.at(address, [process.execPath, ...servingArguments, join(root, main)]);
    mkdirSync(join(home, name), { recursive: true });
    const env = { ...environmentOf(home, name, address), ...s3.env, NATS_URL: nats.url, NATS_REPLICAS: "3", ...own };
    const logFile = join(home, `${name}.log`);
    return { address, logFile, keeper: stack.use(keep({ name, command, env, logFile })) };
  };
  const none = { IMAGE_SLOTS: "0", DOCUMENT_SLOTS: "0", MEDIA_SLOTS: "0" };
  const gateways: Host[] = [];
  const urls = (gatewayHosts ?? []).map((address) => `http://${address}:8080`);
  for (const [index, address] of (gatewayHosts ?? []).entries()) {
    gateways.push(start(`gateway-${index}`, address, "gateway/main.ts", none));
    if (index === 0) await untilServing(urls[0] ?? "");
  }
  const scratchDisk = stack.use(await mountMemory(join(home, "worker-2"), 512));
  const workers = (workerHosts ?? []).map((address, index) => {
    const peer = `http://${gatewayHosts?.[index % 2]}:${rpcPort}`;
    const own = { ...engines[index], CATALOGUE_ADDRESS: peer, JOB_ADDRESS: peer };
    return start(`worker-${index}`, address, "services/conversion/main.ts", own);
  });
  for (const url of urls) await untilReady(url);
  const key = await keyIn(gateways.map(({ logFile }) => logFile));
  const owned = stack.move();
  return { network, nats, s3, gateways, urls, workers, scratchDisk, key, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function environmentOf(home: string, name: string, address: string): Record<string, string> {
  return {
    ...servingEnvironment,
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    DATA_DIR: join(home, name),
    PLANS_FILE: join(home, "plans.json"),
    // The kernel counts a user's processes across all hosts on this machine.
    SANDBOX_UID: String(70_000 + 100 * Number(address.split(".").at(-1))),
    ...{ HOST: address, RPC_HOST: address, RPC_PORT: String(rpcPort), RPC_TOKEN: "hosts-suite-token-0123456789" },
    ...{ OFFICE_SLOTS: "0", LEASE_MS: "5000", MAX_ATTEMPTS: "10", DRAIN_MS: "8000", INLINE_WAIT_MS: "5000", PROVING: "off" },
  };
}

/** Waits for any answer: without a worker it is not ready. */
async function untilServing(url: string): Promise<void> {
  for (let tries = 0; tries < 1200; tries += 1) {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer !== undefined) return;
    await sleep(100);
  }
  throw new Error(`${url} did not answer within two minutes`);
}

/** How often a worker has started. */
export async function livesOf({ logFile }: Host): Promise<number> {
  return (await readFile(logFile, "utf8")).split('"msg":"service.ready"').length - 1;
}

export async function untilAlive(worker: Host, lives: number): Promise<void> {
  for (let tries = 0; tries < 1200; tries += 1) {
    if ((await livesOf(worker)) >= lives) return;
    await sleep(100);
  }
  throw new Error(`${worker.keeper.name} was not ready within two minutes`);
}

/** Printed by the gateway that created the first account. */
async function keyIn(logFiles: readonly string[]): Promise<string> {
  for (let tries = 0; tries < 600; tries += 1) {
    for (const logFile of logFiles) {
      const key = /\bfm_[0-9A-Za-z]{49}\b/.exec(await readFile(logFile, "utf8"))?.[0];
      if (key !== undefined) return key;
    }
    await sleep(100);
  }
  throw new Error("no API key was printed");
}
