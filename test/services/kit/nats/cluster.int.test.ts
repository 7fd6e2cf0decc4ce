import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { connect } from "nats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLog } from "#kit/log.ts";
import { openBroker } from "#kit/nats/broker.ts";
import { clusterOptions } from "#kit/nats/cluster.ts";
import { freePorts } from "#test/faults/deployment.ts";
import { keep } from "#test/faults/keeper.ts";
import { type NatsCluster, openNatsCluster } from "#test/harness/nats-cluster.ts";
import { textCodec } from "./text-codec.ts";

const log = openLog("silent");
const run = promisify(execFile);
let home: string;
let nats: NatsCluster;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "filemill-cluster-"));
  nats = await openNatsCluster({ home });
});
afterAll(async () => {
  await nats[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

const open = (replicas?: number) => openBroker({ dataDir: home, cluster: { url: nats.url, replicas }, log });

/** Opens what a service opens at startup. It fails while the cluster has no leader and is retried, as by an init system. */
async function start(replicas?: number, name = "jobs"): Promise<void> {
  await expect
    .poll(
      async () => {
        try {
          await using broker = await open(replicas);
          await broker.workQueue("JOBS", ["image"], { ackWaitMs: 30_000 });
          const bucket = await broker.bucket(name, textCodec);
          await bucket.put("a", "kept");
          return (await bucket.get("a"))?.value;
        } catch (error) {
          return String(error);
        }
      },
      { timeout: 60_000 },
    )
    .toBe("kept");
}

async function copies(): Promise<Record<string, number>> {
  const connection = await connect(await clusterOptions({ url: nats.url }));
  try {
    const manager = await connection.jetstreamManager();
    const streams = await manager.streams.list().next();
    return Object.fromEntries(streams.map(({ config }) => [config.name, config.num_replicas]));
  } finally {
    await connection.close();
  }
}

test("a three-node cluster upgrades streams to 3 replicas and keeps them when one server is down", async () => {
  await start(1);
  expect(await copies()).toEqual({ JOBS: 1, KV_jobs: 1 });
  await start(3, "keys");
  await start(3);
  expect(await copies()).toEqual({ JOBS: 3, KV_jobs: 3, KV_keys: 3 });
  await nats.servers[2]?.halt();
  await start();
  await start(1);
  // While a stream elects another leader, it is missing from the list.
  await expect.poll(copies).toEqual({ JOBS: 3, KV_jobs: 3, KV_keys: 3 });
  nats.servers[2]?.resume();
});

test("connects over TLS with a client certificate", async () => {
  const at = (name: string): string => join(home, name);
  const openssl = (...args: string[]) => run("openssl", args, { cwd: home });
  const name = ["-subj", "/CN=filemill", "-addext", "subjectAltName=DNS:localhost"];
  await openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", "key.pem", "-out", "cert.pem", ...name);
  const [port = 0] = await freePorts(1);
  const tls = `tls { cert_file: "${at("cert.pem")}", key_file: "${at("key.pem")}", ca_file: "${at("cert.pem")}", verify: true }`;
  await writeFile(at("tls.conf"), `listen: "localhost:${port}"\n${tls}\njetstream { store_dir: "${at("tls")}" }\n`);
  const env = { PATH: `${process.env.PATH}:/usr/sbin` };
  await using _server = keep({ name: "nats-tls", command: ["nats-server", "--config", at("tls.conf")], env, logFile: at("tls.log") });
  const url = `tls://localhost:${port}`;
  const [ca, certificate, key] = [at("cert.pem"), at("cert.pem"), at("key.pem")];
  await using broker = await openBroker({
    dataDir: home,
    cluster: { url, ca, certificate, key },
    log,
    signal: AbortSignal.timeout(60_000),
  });
  await expect.poll(() => broker.healthy()).toBe(true);
  const stranger = connect({ ...(await clusterOptions({ url, ca })), reconnect: false });
  await expect(stranger).rejects.toThrow();
  for (const credentials of ["absent.creds", "tls.conf"]) {
    const opening = openBroker({ dataDir: home, cluster: { url, credentials: at(credentials) }, log });
    await expect(opening).rejects.toThrow(new RegExp(`^NATS_CREDS names \\S+${credentials}, which `));
  }
});
