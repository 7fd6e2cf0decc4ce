import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { openLog } from "#kit/log.ts";
import { openBroker } from "#kit/nats/broker.ts";
import { eventually } from "#test/harness/eventually.ts";
import { killServer, serverPidOf, textCodec } from "./text-codec.ts";

const log = openLog("silent");
let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "filemill-broker-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** A zombie, which a container's first process may never reap, counts as dead: it has no command line. */
async function isAlive(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")) !== "";
}

describe("the embedded server", () => {
  test("keeps its data across restarts and ends with the broker", async () => {
    let pid = 0;
    {
      await using broker = await openBroker({ dataDir, log });
      await eventually(async () => expect(await broker.healthy()).toBe(true));
      await (await broker.bucket("kept", textCodec)).put("key", "value");
      await Promise.all([broker.flushToDisk(), broker.flushToDisk(), broker.flushToDisk()]);
      pid = await serverPidOf(dataDir);
      expect(await isAlive(pid)).toBe(true);
    }
    expect(await isAlive(pid)).toBe(false);
    await using broker = await openBroker({ dataDir, log });
    expect((await (await broker.bucket("kept", textCodec)).get("key"))?.value).toBe("value");
  });

  test("keeps its secrets owner-only, listens on loopback and requires a password", async () => {
    await using _broker = await openBroker({ dataDir, log });
    const dir = join(dataDir, "nats");
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    for (const name of ["server.conf", "password"]) expect((await stat(join(dir, name))).mode & 0o777, name).toBe(0o600);
    const config = await readFile(join(dir, "server.conf"), "utf8");
    expect(config).toContain("host: 127.0.0.1");
    const port = /^port: (\d+)$/m.exec(config)?.[1];
    const stranger = await failureOf(
      openBroker({ dataDir, cluster: { url: `nats://127.0.0.1:${port}` }, log, signal: AbortSignal.timeout(1500) }),
    );
    expect(String(stranger)).toMatch(/authorization|timeout/i);
    const password = await readFile(join(dir, "password"), "utf8");
    await using guest = await openBroker({ dataDir, cluster: { url: `nats://filemill:${password}@127.0.0.1:${port}` }, log });
    await eventually(async () => expect(await guest.healthy()).toBe(true));
  });

  test("is restarted on the same port when it is killed", async () => {
    await using broker = await openBroker({ dataDir, log });
    const before = await serverPidOf(dataDir);
    await killServer(dataDir);
    await eventually(async () => expect(await serverPidOf(dataDir)).not.toBe(before));
    await eventually(async () => expect(await broker.healthy()).toBe(true));
    expect(await isAlive(await serverPidOf(dataDir))).toBe(true);
  });

  test("rejects a second process on the same folder", async () => {
    await using _broker = await openBroker({ dataDir, log });
    const failure = await failureOf(openBroker({ dataDir, log }));
    expect(failure).toBeInstanceOf(FilemillError);
    expect(failure).toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining(`process ${process.pid}`) });
    expect((await readdir(join(dataDir, "nats"))).filter((name) => name.startsWith("lock")).toSorted()).toEqual(["lock", "lock.sqlite"]);
  });

  test("takes over the lock of a dead process, even if its pid was reused", async () => {
    const { pid } = spawn("true");
    await openBroker({ dataDir, log }).then((broker) => broker[Symbol.asyncDispose]());
    for (const stale of [`${pid} 1 x`, `${process.pid} 1 x`, "", "nonsense"]) {
      await writeFile(join(dataDir, "nats", "lock"), stale);
      await using broker = await openBroker({ dataDir, log });
      await eventually(async () => expect(await broker.healthy(), stale).toBe(true));
    }
  });

  test("dies with a process that is killed, and the folder stays usable", async () => {
    const script = `
      const { openBroker } = await import("#kit/nats/broker.ts");
      const { openLog } = await import("#kit/log.ts");
      await openBroker({ dataDir: process.argv[1], log: openLog("silent") });
      process.stdout.write("ready");
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    const pid = await serverPidOf(dataDir);
    child.kill("SIGKILL");
    await once(child, "close");
    await using broker = await openBroker({ dataDir, log });
    await eventually(async () => expect(await broker.healthy()).toBe(true));
    expect(await isAlive(pid)).toBe(false);
  });

  test("first stops a server that another process left behind", async () => {
    await openBroker({ dataDir, log }).then((broker) => broker[Symbol.asyncDispose]());
    const orphan = spawn("nats-server", ["--config", join(dataDir, "nats", "server.conf")], { stdio: "ignore" });
    const ended = once(orphan, "close");
    await eventually(async () => expect(await serverPidOf(dataDir)).toBe(orphan.pid));
    await using broker = await openBroker({ dataDir, log });
    await ended;
    await eventually(async () => expect(await broker.healthy()).toBe(true));
  });
});

test("a process that disposes everything exits by itself", async () => {
  const script = `
    const { openBroker } = await import("#kit/nats/broker.ts");
    const { openLog } = await import("#kit/log.ts");
    const codec = { encode: (text) => Buffer.from(text), decode: (bytes) => String(bytes) };
    await using broker = await openBroker({ dataDir: process.argv[1], log: openLog("silent") });
    await using watch = await (await broker.bucket("kept", codec, { ttlMs: 600_000 })).watch(() => undefined);
    const queue = await broker.workQueue("JOBS", ["image"], { ackWaitMs: 600_000 });
    await using consumer = await queue.consume("image", 2, async (delivery) => delivery.ack());
    await (await broker.bucket("kept", codec)).put("key", "value");
    await queue.publish("image", "job");
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, dataDir], { stdio: ["ignore", "inherit", "inherit"] });
  expect(await once(child, "close")).toEqual([0, null]);
});

test("names the package to install when nats-server is missing", async () => {
  const script = `
    const { openBroker } = await import("#kit/nats/broker.ts");
    const { openLog } = await import("#kit/log.ts");
    await openBroker({ dataDir: process.argv[1], log: openLog("silent") }).catch((error) => process.stdout.write(error.code + " " + error.message));
  `;
  // The child sees a machine without this program.
  const child = spawn("unshare", [
    "--map-root-user",
    "--mount",
    "sh",
    "-c",
    'mount -t tmpfs none /usr/sbin && exec "$0" "$@"',
    process.execPath,
    "--input-type=module",
    "-e",
    script,
    dataDir,
  ]);
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += String(chunk);
  });
  await once(child, "close");
  expect(output).toContain("UNAVAILABLE nats-server was not found. Install it (Debian and Ubuntu: apt-get install nats-server)");
});

async function threadStatesOf(pid: number): Promise<string> {
  const threads = await readdir(`/proc/${pid}/task`);
  const stats = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, "utf8")));
  return stats.map((stat) => stat.slice(stat.lastIndexOf(")") + 2)[0]).join("");
}

describe("a lasting outage", () => {
  test("is UNAVAILABLE with a retry hint, and ends when the server is back", async () => {
    await using broker = await openBroker({ dataDir, log });
    const bucket = await broker.bucket("kept", textCodec);
    const revision = await bucket.create("key", "before");
    const pid = await serverPidOf(dataDir);
    process.kill(pid, "SIGSTOP");
    // The signal may still be pending when kill() returns: each thread responds until it arrives.
    await eventually(async () => expect(await threadStatesOf(pid)).toMatch(/^T+$/));
    try {
      const failures = await Promise.all([failureOf(bucket.update("key", "during", revision)), failureOf(bucket.get("key"))]);
      for (const failure of failures) expect(failure).toMatchObject({ code: "UNAVAILABLE", retryAfterMs: 2000 });
      expect(await broker.healthy()).toBe(false);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await eventually(async () => expect(await broker.healthy()).toBe(true));
    // The unanswered write may have succeeded: the record shows it, and the test continues from there.
    await eventually(async () => {
      const now = await bucket.get("key");
      expect(["before", "during"]).toContain(now?.value);
      expect(await bucket.update("key", "after", now?.revision ?? 0)).toBeGreaterThan(revision);
    });
  });
});

test("waits for a broker that is not up yet until the signal aborts", async () => {
  const reason = new Error("enough");
  const abort = new AbortController();
  const opening = failureOf(openBroker({ dataDir, cluster: { url: "nats://127.0.0.1:9" }, log, signal: abort.signal }));
  setTimeout(() => abort.abort(reason), 300);
  expect(await opening).toBe(reason);
});
