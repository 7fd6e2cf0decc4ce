import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JobState, type LeaseService } from "#gen/filemill/job/v1/job_pb.ts";
import { openLog } from "#kit/log.ts";
import { openRpcServer, type RpcServer } from "#kit/rpc/server.ts";
import { token } from "#test/harness/rpc-token.ts";
import { accountId, type Mill, openMill } from "./mill.ts";
import { endlessSvg, processesOf } from "./slow-work.ts";

/** The lease of workers that are meant to lose it: longer than a busy machine delays a heartbeat. */
const leaseMs = 6000;

let mill: Mill;
let peers: RpcServer;
let worker: ChildProcess | undefined;
/** Resolved when a worker process reports the end of an attempt, which is held back while `mayEnd` is pending. */
let isEnding: PromiseWithResolvers<void>;
let mayEnd: Promise<void>;
beforeEach(async () => {
  isEnding = Promise.withResolvers();
  mayEnd = Promise.resolve();
  mill = await openMill({ LEASE_MS: leaseMs });
  await mill.worker.drain(AbortSignal.abort());
  await mill.worker[Symbol.asyncDispose]();
  peers = await openRpcServer({
    host: "127.0.0.1",
    port: 0,
    token,
    routes: (router) => mill.peers.forEach((peer) => void peer.routes(holdingEnds(router))),
    isReady: () => true,
    log: openLog("silent"),
  });
});
afterEach(async () => {
  if (worker?.kill("SIGKILL") === true) await once(worker, "exit");
  await peers[Symbol.asyncDispose]();
  await mill[Symbol.asyncDispose]();
});

function holdingEnds(router: ConnectRouter): ConnectRouter {
  const service: ConnectRouter["service"] = (type, methods, options) => {
    const { finishAttempt: finish } = methods as Partial<ServiceImpl<typeof LeaseService>>;
    const finishAttempt: typeof finish = async (request, context) => {
      isEnding.resolve();
      await mayEnd;
      return finish?.(request, context) ?? {};
    };
    return router.service(type, finish === undefined ? methods : { ...methods, finishAttempt }, options);
  };
  return Object.assign(Object.create(router), { service });
}

const serverConfig = () => readFile(join(mill.dataDir, "nats", "server.conf"), "utf8");

/** The conversion service as `npm run service -- conversion` runs it. */
async function startWorkerProcess(ownLeaseMs = leaseMs): Promise<ChildProcess> {
  const config = await serverConfig();
  const found = (pattern: RegExp): string => pattern.exec(config)?.[1] ?? "";
  const [port, user, password] = [
    found(/port["']?\s*[:=]\s*(\d+)/),
    found(/user["']?\s*[:=]\s*"?(\w+)/),
    found(/password["']?\s*[:=]\s*"?([^"\s,}]+)/),
  ];
  const main = fileURLToPath(import.meta.resolve("#services/conversion/main.ts"));
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: mill.dataDir,
    NATS_URL: `nats://${user}:${password}@127.0.0.1:${port}`,
    JOB_ADDRESS: peers.url,
    CATALOGUE_ADDRESS: peers.url,
    RPC_PORT: "0",
    RPC_TOKEN: token,
    LEASE_MS: String(ownLeaseMs),
    DOCUMENT_SLOTS: "0",
    OFFICE_SLOTS: "0",
    MEDIA_SLOTS: "0",
  };
  const child = spawn(process.execPath, [main], { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  for await (const chunk of child.stderr) {
    said += String(chunk);
    if (said.includes("service.ready")) break;
  }
  if (!said.includes("service.ready")) throw new Error(said);
  return child;
}

function icon(): Promise<Buffer> {
  return sharp({ create: { width: 20, height: 20, channels: 3, background: "red" } })
    .png()
    .toBuffer();
}

/** Some seconds of work for an AVIF encoder. */
function noise(): Promise<Buffer> {
  const gaussian = { type: "gaussian", mean: 128, sigma: 60 } as const;
  return sharp({ create: { width: 1500, height: 1000, channels: 3, background: "red", noise: gaussian } })
    .png()
    .toBuffer();
}

describe("a worker process", () => {
  it("takes its sandboxes with it when killed, and another worker retries at once, however long the lease", async () => {
    worker = await startWorkerProcess(600_000);
    const job = await mill.submit(endlessSvg(), { from: "svg", to: "png" });
    const first = await mill.watch(job, ({ state }) => state === JobState.RUNNING);
    expect(first.attempts).toBe(1);
    worker.kill("SIGKILL");
    await once(worker, "exit");
    await expect.poll(() => processesOf(mill.dataDir)).toEqual([]);

    await using second = mill.createWorker();
    await second.start();
    const again = await mill.watch(job, ({ attempts, state }) => attempts === 2 && state === JobState.RUNNING);
    expect(again.state).toBe(JobState.RUNNING);
    await mill.jobs.cancelJob({ accountId, jobId: job.id });

    const done = await mill.watch(await mill.submit(await icon(), { from: "png", to: "webp" }));
    expect(done).toMatchObject({ state: JobState.DONE, attempts: 1 });
    for (const jobId of [job.id, done.id]) await mill.jobs.deleteJob({ accountId, jobId });
    await expect.poll(() => mill.leftovers()).toEqual({ blobs: [], scratch: [] });
    // The dead worker's folder was removed when the second one started.
    expect(readdirSync(join(mill.dataDir, "scratch"))).toHaveLength(1);
  });

  it("is fenced out if it was paused past its lease", async () => {
    const { promise, resolve: letEnd } = Promise.withResolvers<void>();
    mayEnd = promise;
    worker = await startWorkerProcess();
    const job = await mill.submit(await icon(), { from: "png", to: "webp" });
    // It has produced its result but not reported it.
    await isEnding.promise;
    worker.kill("SIGSTOP");
    // With the same lease: after that time the broker redelivers wake-ups that it sent to the paused one.
    await using second = mill.createWorker();
    await second.start();
    const done = await mill.watch(job);
    expect(done).toMatchObject({ state: JobState.DONE, attempts: 2 });
    letEnd();
    worker.kill("SIGCONT");
    worker.kill("SIGTERM");
    await once(worker, "exit");
    const kept = await mill.jobs.getJob({ accountId, jobId: job.id });
    expect(kept.job?.result?.id).toBe(done.result?.id);
    await expect.poll(async () => (await mill.leftovers()).blobs).toEqual([done.result?.id]);
  });

  it("stops in time on SIGTERM and leaves no folder", async () => {
    worker = await startWorkerProcess();
    worker.kill("SIGTERM");
    expect(await once(worker, "exit")).toEqual([0, null]);
    expect(readdirSync(join(mill.dataDir, "scratch"))).toEqual([]);
    await expect.poll(async () => (await mill.catalogue.listManifests({})).manifests).toEqual([]);
  });
});

describe("a broker that dies during a job", () => {
  it("costs neither the result nor another attempt", async () => {
    await using second = mill.createWorker({ LEASE_MS: 600_000 });
    await second.start();
    const job = await mill.submit(await noise(), { from: "png", to: "avif" });
    await mill.watch(job, ({ state }) => state === JobState.RUNNING);
    const pid = Number(await readFile(join(mill.dataDir, "nats", "server.pid"), "utf8"));
    process.kill(pid, "SIGKILL");
    const done = await mill.watch(job);
    expect(done).toMatchObject({ state: JobState.DONE, attempts: 1 });
  });
});
