import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FilemillError } from "#contract/errors.ts";
import { brokerUsers, ownerUser } from "#contract/grants.ts";
import type { Log } from "#kit/log.ts";
import { openDataLock, stopStaleServer } from "./data-lock.ts";
import { type Passwords, parseServerVersion, type ServerVersion, serverConfigText, storeBytesOf } from "./server-config.ts";

/** The server reads through its whole store, which may be many gigabytes, before it answers. */
const startLimitMs = 120_000;
const stopLimitMs = 5000;
const longestPauseMs = 5000;
const steadyAfterMs = 10_000;
/** Debian's package installs it where only root's PATH looks. */
const candidates = ["nats-server", "/usr/sbin/nats-server", "/usr/local/bin/nats-server", "/opt/homebrew/bin/nats-server"];

/** An embedded nats-server on a free loopback port. Whenever it ends it is restarted on the same port. */
export type EmbeddedServer = AsyncDisposable & {
  readonly port: number;
  readonly passwords: Passwords;
  readonly version: ServerVersion;
  readonly dir: string;
  /** Of the current run; undefined between two runs. */
  readonly pid: number | undefined;
  /** Ends the current run. Another one starts at once. */
  restart(): Promise<void>;
};

/**
 * Starts nats-server with its store under `<dataDir>/nats`. Rejects with UNAVAILABLE if it is not installed, does not start, or
 * another process uses the folder.
 */
export async function openEmbeddedServer(dataDir: string, log: Log, signal?: AbortSignal): Promise<EmbeddedServer> {
  await using stack = new AsyncDisposableStack();
  const dir = join(dataDir, "nats");
  await mkdir(dir, { recursive: true, mode: 0o700 });
  stack.use(await openDataLock(dir));
  const configFile = join(dir, "server.conf");
  const [program] = await Promise.all([findProgram(), stopStaleServer(join(dir, "server.pid"), configFile)]);
  const passwords = await passwordsUnder(dir);
  const storeBytes = await storeBytesOf(dir);
  const configure = (port: number): Promise<void> =>
    writeFile(configFile, serverConfigText({ dir, port, passwords, storeBytes, version: program.version }), { mode: 0o600 });

  await configure(-1);
  const first = launch(program, configFile);
  stack.defer(() => stop(first.child));
  const port = await portOf(first, dir, signal);
  await configure(port);
  const keeper = stack.use(keepRunning(first, () => launch(program, configFile), log));
  log.info("broker.started", { version: program.version.text, port, storeBytes });
  const owned = stack.move();
  return {
    port,
    passwords,
    version: program.version,
    dir,
    get pid() {
      return keeper.pid();
    },
    restart: () => keeper.restart(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

type Program = { readonly command: string; readonly prefix: readonly string[]; readonly version: ServerVersion };
type Run = { readonly child: ChildProcess; readonly ended: Promise<void>; tail(): string };

async function findProgram(): Promise<Program> {
  // The kernel learns of the death signal a moment after the start. By then this process may be gone, and the shell has another parent.
  const orphanGuard = ["setpriv", "--pdeathsig", "KILL", "--", "/bin/sh", "-c", '[ $PPID = "$0" ] && exec "$@"', String(process.pid)];
  const [guarded, found] = await Promise.all([outputOf("setpriv", ["--version"]), firstServer()]);
  if (found === undefined) {
    throw new FilemillError(
      "UNAVAILABLE",
      "nats-server was not found. Install it (Debian and Ubuntu: apt-get install nats-server), or set NATS_URL to a server you have.",
    );
  }
  const usable = guarded !== undefined && process.platform === "linux";
  return { command: found.command, prefix: usable ? orphanGuard : [], version: found.version };
}

async function firstServer(): Promise<{ command: string; version: ServerVersion } | undefined> {
  for (const command of candidates) {
    const output = await outputOf(command, ["--version"]);
    if (output !== undefined) return { command, version: parseServerVersion(output) };
  }
  return undefined;
}

/** What a program prints; undefined if there is no such program. */
function outputOf(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.once("error", () => resolve(undefined));
    child.once("close", () => resolve(output));
  });
}

async function passwordsUnder(dir: string): Promise<Passwords> {
  const one = async (user: keyof Passwords, file: string) => [user, await passwordIn(join(dir, file))] as const;
  const all = [one(ownerUser, "password"), ...brokerUsers.map((user) => one(user, `password-${user}`))];
  return Object.fromEntries(await Promise.all(all)) as Passwords;
}

async function passwordIn(path: string): Promise<string> {
  const known = await readFile(path, "utf8").catch(() => "");
  if (known.length >= 32) return known;
  const fresh = randomBytes(32).toString("base64url");
  await writeFile(path, fresh, { mode: 0o600 });
  return fresh;
}

function launch(program: Program, configFile: string): Run {
  const [command, ...args] = [...program.prefix, program.command, "--config", configFile];
  // Its own process group: Ctrl-C in a terminal goes to the whole group, and the broker must outlive the draining.
  const child = spawn(command ?? program.command, args, { stdio: ["ignore", "ignore", "pipe"], cwd: "/", detached: true });
  let tail = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-2000);
  });
  child.on("error", () => undefined);
  return { child, ended: new Promise((resolve) => child.once("close", () => resolve())), tail: () => tail };
}

async function portOf(run: Run, dir: string, signal: AbortSignal | undefined): Promise<number> {
  const path = join(dir, `nats-server_${run.child.pid}.ports`);
  const deadline = performance.now() + startLimitMs;
  try {
    while (performance.now() < deadline) {
      signal?.throwIfAborted();
      const port = portIn(await readFile(path, "utf8").catch(() => ""));
      if (port !== undefined) return port;
      if (hasEnded(run.child)) break;
      await sleep(3);
    }
  } finally {
    await rm(path, { force: true });
  }
  throw new FilemillError("UNAVAILABLE", `nats-server did not start: ${run.tail().trim() || "no output"}`);
}

/** The file may be incomplete while the server is writing it. */
function portIn(text: string): number | undefined {
  const [, port] = /"nats:\/\/127\.0\.0\.1:(\d+)"/.exec(text) ?? [];
  return port === undefined ? undefined : Number(port);
}

type Keeper = AsyncDisposable & { pid(): number | undefined; restart(): Promise<void> };

/** Restarts the server whenever it ends, with growing pauses while it does not stay up. */
function keepRunning(first: Run, again: () => Run, log: Log): Keeper {
  const stopping = new AbortController();
  let run = first;
  const loop = async (): Promise<void> => {
    let pauseMs = 0;
    for (;;) {
      const since = performance.now();
      await run.ended;
      if (stopping.signal.aborted) return;
      const { exitCode, signalCode } = run.child;
      log.error("broker.ended", { exitCode, signal: signalCode, lastLines: run.tail() });
      pauseMs = performance.now() - since > steadyAfterMs ? 0 : Math.min(longestPauseMs, pauseMs * 2 + 50);
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      run = again();
    }
  };
  const done = loop();
  return {
    pid: () => (hasEnded(run.child) ? undefined : run.child.pid),
    restart: () => stop(run.child),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await stop(run.child);
      await done;
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const closed = once(child, "close");
  using _killer = setTimeout(() => child.kill("SIGKILL"), stopLimitMs);
  child.kill("SIGTERM");
  await closed;
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}
