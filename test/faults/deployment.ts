/** Filemill as deployed: all in one process with its own broker, or each service in its own process next to a nats-server. */
import { mkdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root, servingArguments, servingEnvironment } from "#gateway/setup/node.mjs";
import { parseServerVersion, serverConfigText } from "#kit/nats/server-config.ts";
import { type Keeper, keep } from "./keeper.ts";

export type Kind = "one process" | "several processes";

export type Deployment = AsyncDisposable & {
  readonly kind: Kind;
  readonly url: string;
  /** RPC addresses; identical in a single process. */
  readonly accounts: string;
  readonly jobs: string;
  readonly token: string;
  readonly dataDir: string;
  /** Where crash points are armed. */
  readonly faultsDir: string;
  readonly logFile: string;
  readonly keepers: readonly Keeper[];
  /** The processes that run the gateway and start sandboxes. */
  readonly gateway: Keeper;
  readonly worker: Keeper;
  /** Of the current nats-server run. */
  brokerPid(): Promise<number | undefined>;
  /** With the broker owner's credentials. */
  natsUrl(): Promise<string>;
};

export type Place = {
  /** Holds DATA_DIR by default. */
  readonly home: string;
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The clone whose code runs. */
  readonly clone?: string;
};

const token = "faults-suite-token-0123456789";
const passwords = { filemill: "owner", account: "a", catalogue: "c", job: "j", conversion: "v", webhook: "w" };

/** Below the system's ephemeral ports. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if (!ports.includes(port) && (await isFree(port))) ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

function environmentOf({ home, env, dataDir = join(home, "data"), clone = root }: Place): Record<string, string> {
  const preload = new URL("preload.ts", import.meta.url).href;
  return {
    ...servingEnvironment,
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    // Another version has no crash points.
    ...(clone === root ? { NODE_OPTIONS: `--import ${preload}` } : { NODE_COMPILE_CACHE: join(home, "compiled") }),
    FAULTS_DIR: join(home, "faults"),
    DATA_DIR: dataDir,
    RPC_TOKEN: token,
    LEASE_MS: "3000",
    MAX_ATTEMPTS: "10",
    DRAIN_MS: "5000",
    INLINE_WAIT_MS: "5000",
    OFFICE_SLOTS: "0",
    WEBHOOK_PRIVATE_ADDRESSES: "allowed",
    WEBHOOK_PORTS: "1-65535",
    WEBHOOK_RETRY_SECONDS: "1,1,1,2,2,2,5,5,5,5,5,5,5,5,5,5",
    MIN_FREE_DISK_MB: "0",
    PLANS_FILE: join(home, "plans.json"),
    ...env,
  };
}

const plans = {
  free: { apiAccess: false, maxInputMb: 25, requestsPerMinute: 10, maxUnfinishedJobs: 5, retentionSeconds: 3600 },
  plus: { apiAccess: true, maxInputMb: 500, requestsPerMinute: 1_000_000, maxUnfinishedJobs: 1000, retentionSeconds: 86_400 },
};

async function prepared(place: Place): Promise<{ env: Record<string, string>; logFile: string; clone: string }> {
  mkdirSync(join(place.home, "faults"), { recursive: true });
  await writeFile(join(place.home, "plans.json"), JSON.stringify(plans));
  return { env: environmentOf(place), logFile: join(place.home, "log"), clone: place.clone ?? root };
}

export async function openOneProcess(place: Place): Promise<Deployment> {
  const { env, logFile, clone } = await prepared(place);
  const [port, rpcPort] = await freePorts(2);
  const dataDir = env.DATA_DIR ?? "";
  const command = [process.execPath, ...servingArguments, join(clone, "gateway/main.ts")] as const;
  const service = keep({ name: "service", command, env: { ...env, PORT: String(port), RPC_PORT: String(rpcPort) }, logFile });
  const rpc = `http://127.0.0.1:${rpcPort}`;
  const deployment = {
    kind: "one process" as const,
    ...{ url: `http://127.0.0.1:${port}`, accounts: rpc, jobs: rpc, token, dataDir, faultsDir: env.FAULTS_DIR ?? "", logFile },
    keepers: [service],
    gateway: service,
    worker: service,
    brokerPid: () => numberIn(join(dataDir, "nats/server.pid")),
    async natsUrl() {
      const config = await readFile(join(dataDir, "nats/server.conf"), "utf8");
      const [, natsPort] = /^port: (\d+)$/m.exec(config) ?? [];
      const [, password] = /user: "filemill", password: "([^"]+)"/.exec(config) ?? [];
      return `nats://filemill:${password}@127.0.0.1:${natsPort}`;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
  return deployment;
}

/** First started once as a single process: the broker's owner creates the streams. */
export async function openSeveralProcesses(place: Place): Promise<Deployment> {
  await using stack = new AsyncDisposableStack();
  const { env, logFile, clone } = await prepared(place);
  const [port = 0, nats = 0, catalogue, job, webhook, account, conversion] = await freePorts(7);
  const natsDir = join(place.home, "nats");
  mkdirSync(natsDir, { recursive: true });
  const config = join(natsDir, "server.conf");
  const version = parseServerVersion("v2.9.10");
  await writeFile(config, serverConfigText({ dir: natsDir, port: nats, passwords, storeBytes: 2 ** 28, version }));
  const urlOf = (user: keyof typeof passwords): string => `nats://${user}:${passwords[user]}@127.0.0.1:${nats}`;
  const broker = stack.use(keep({ name: "broker", command: ["nats-server", "--config", config], env: { PATH: env.PATH ?? "" }, logFile }));
  {
    const owning = { ...env, NATS_URL: urlOf("filemill"), PORT: String(port), RPC_PORT: "0" };
    const command = [process.execPath, ...servingArguments, join(clone, "gateway/main.ts")] as const;
    await using whole = keep({ name: "first start", command, env: owning, logFile });
    await untilReady(`http://127.0.0.1:${port}`);
    await whole.halt();
  }
  const at = (rpcPort: number | undefined): string => `http://127.0.0.1:${rpcPort}`;
  const service = (name: keyof typeof passwords, rpcPort: number | undefined, peers: Record<string, string>): Keeper => {
    // Without the shell that would restart it: the suite does that here.
    const command = [process.execPath, ...servingArguments, join(clone, `services/${name}/main.ts`)] as const;
    return stack.use(
      keep({ name, command, env: { ...env, NATS_URL: urlOf(name), RPC_PORT: String(rpcPort), PORT: "0", ...peers }, logFile }),
    );
  };
  const CATALOGUE_ADDRESS = at(catalogue);
  const [JOB_ADDRESS, WEBHOOK_ADDRESS, ACCOUNT_ADDRESS, CONVERSION_ADDRESS] = [at(job), at(webhook), at(account), at(conversion)];
  const worker = service("conversion", conversion, { CATALOGUE_ADDRESS, JOB_ADDRESS });
  const others = [
    service("catalogue", catalogue, {}),
    service("job", job, { CATALOGUE_ADDRESS }),
    service("webhook", webhook, { JOB_ADDRESS }),
    service("account", account, { JOB_ADDRESS, WEBHOOK_ADDRESS }),
  ];
  const peers = { CATALOGUE_ADDRESS, JOB_ADDRESS, WEBHOOK_ADDRESS, ACCOUNT_ADDRESS, CONVERSION_ADDRESS };
  const command = [process.execPath, ...servingArguments, join(clone, "gateway/main.ts")] as const;
  const gateway = stack.use(keep({ name: "gateway", command, env: { ...env, ...peers, PORT: String(port), RPC_PORT: "0" }, logFile }));
  const owned = stack.move();
  return {
    kind: "several processes",
    ...{
      url: at(port),
      accounts: ACCOUNT_ADDRESS,
      jobs: JOB_ADDRESS,
      token,
      dataDir: env.DATA_DIR ?? "",
      faultsDir: env.FAULTS_DIR ?? "",
      logFile,
    },
    keepers: [broker, ...others, worker, gateway],
    gateway,
    worker,
    brokerPid: async () => broker.pid,
    natsUrl: async () => urlOf("filemill"),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function numberIn(path: string): Promise<number | undefined> {
  const number = Number((await readFile(path, "utf8").catch(() => "")).trim());
  return number > 0 ? number : undefined;
}

/** @throws Error if the service is not ready within this many milliseconds. */
export async function untilReady(url: string, limitMs = 120_000): Promise<void> {
  for (const until = performance.now() + limitMs; performance.now() < until; await sleep(50)) {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
  }
  throw new Error(`${url} was not ready after ${limitMs / 1000} s`);
}
