/** A complete Filemill in its own process, as `npm start` runs it, for tests that use only REST. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { servingArguments, servingEnvironment } from "#gateway/setup/node.mjs";
import { removeFolder } from "./folders.ts";
import { keepFound, putFound } from "./found.ts";

export type TestServer = AsyncDisposable & {
  readonly url: string;
  readonly rpcUrl: string;
  /** For calls to the internal services. */
  readonly rpcToken: string;
  readonly key: string;
  /** The one-time sign-in link of the local account, if this start printed one. */
  readonly signInLink: string | undefined;
  readonly dataDir: string;
  readonly child: ChildProcess;
  /** Standard output of this start. */
  out(): string;
  /** Standard error so far: the log. */
  log(): string;
  /** Starts the same installation again, after `child` has ended. */
  restart(): Promise<TestServer>;
};

/** For tests without documents of an office: a warm LibreOffice costs as much as the rest of a start. */
export const withoutOffice = { OFFICE_SLOTS: "0" } as const;

/** Plans with limits that tests do not reach by accident. */
const roomyPlans = {
  free: { apiAccess: false, maxInputMb: 25, requestsPerMinute: 10, maxUnfinishedJobs: 5, retentionSeconds: 3600 },
  plus: { apiAccess: true, maxInputMb: 500, requestsPerMinute: 1_000_000, maxUnfinishedJobs: 1000, retentionSeconds: 86_400 },
};

/**
 * @param prepare - Shell commands to run first, in a mount namespace that becomes the service's; requires root. HOME_DIR holds DATA_DIR.
 * @param descriptors - Descriptors inherited from the caller, from 24 on.
 */
export async function startServer(
  env: Readonly<Record<string, string>> = {},
  plans: object = roomyPlans,
  prepare: readonly string[] = [],
  descriptors: readonly number[] = [],
): Promise<TestServer> {
  // Inside the clone, as DATA_DIR is by default: the temporary folder may be on another kind of disk.
  await mkdir(".tmp", { recursive: true });
  const home = await mkdtemp(resolve(".tmp/filemill-"));
  const plansFile = join(home, "plans.json");
  await writeFile(plansFile, JSON.stringify(plans));
  return launch({ home, env: { PLANS_FILE: plansFile, ...env }, prepare, descriptors });
}

/** Another gateway in front of a running server's services; dispose of it before the server. */
export async function startSecondGateway(server: TestServer, env: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const home = await mkdtemp(resolve(".tmp/filemill-"));
  const names = ["CATALOGUE", "JOB", "CONVERSION", "ACCOUNT", "WEBHOOK"];
  const peers = Object.fromEntries(names.map((name) => [`${name}_ADDRESS`, server.rpcUrl]));
  return launch({ home, env: { ...peers, DATA_DIR: server.dataDir, ...env }, prepare: [] }, server.key);
}

type Installation = {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly prepare: readonly string[];
  readonly descriptors?: readonly number[];
};

function prepared(commands: readonly string[]): readonly string[] {
  if (commands.length === 0) return [];
  return ["unshare", "--mount", "--propagation", "private", "sh", "-ec", `${commands.join("\n")}\nexec "$@"`, "sh"];
}

/** Node hides descriptors from its children if they follow without a gap. */
const gap = Array.from({ length: 21 }, () => "ignore" as const);

function spawnFilemill({ home, env, prepare, descriptors = [] }: Installation): ChildProcess {
  const [program = process.execPath, ...args] = [...prepared(prepare), process.execPath, ...servingArguments, "gateway/main.ts"];
  return spawn(program, args, {
    env: {
      HOME_DIR: home,
      ...servingEnvironment,
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: "0",
      RPC_PORT: "0",
      LOG_LEVEL: "info",
      // The maximum: what is answered with 200 is so on a slow machine too.
      INLINE_WAIT_MS: "60000",
      // Nothing is proven beside the tests, and none waits for jobs that others left running.
      PROVING: "off",
      DRAIN_MS: "2000",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe", ...(descriptors.length === 0 ? [] : gap), ...descriptors],
  });
}

async function launch(installation: Installation, knownKey?: string): Promise<TestServer> {
  const { home, env, prepare } = installation;
  const dataDir = env.DATA_DIR ?? join(home, "data");
  if (prepare.length === 0 && !existsSync(dataDir)) await putFound(dataDir);
  const child = spawnFilemill({ ...installation, env: { DATA_DIR: dataDir, ...env } });
  let out = "";
  let log = "";
  child.stdout?.on("data", (chunk) => {
    out += String(chunk);
  });
  child.stderr?.on("data", (chunk) => {
    log += String(chunk);
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  while (!out.includes("Filemill is ready")) {
    if (child.exitCode !== null || child.signalCode !== null) {
      // Its last output is read after its exit.
      await ended;
      throw new Error(`Filemill ended before it was ready:\n${out}${log}`);
    }
    await sleep(20);
  }
  if (prepare.length === 0) await keepFound(dataDir);
  // Through the process, which may have its own mounts.
  const own = (name: string) => readFile(`/proc/${child.pid}/root${join(dataDir, name)}`, "utf8");
  const run = JSON.parse(await own("run.json"));
  const key = /\bfm_[0-9A-Za-z]{49}\b/.exec(out)?.[0] ?? knownKey;
  if (key === undefined) throw new Error("no API key was printed");
  return {
    url: run.restUrl,
    rpcUrl: run.rpcUrl,
    rpcToken: env.RPC_TOKEN ?? (await own("rpc-token")).trim(),
    key,
    signInLink: /http\S+\/operate#link=[\w-]{43}/.exec(out)?.[0],
    dataDir,
    child,
    out: () => out,
    log: () => log,
    restart: () => launch(installation, key),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
      await ended;
      clearTimeout(timer);
      await removeFolder(home);
    },
  };
}
