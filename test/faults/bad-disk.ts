/** A power cut, and a file system that becomes read-only: what was promised is still there afterwards. */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type JobRecord, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { treeOf } from "#services/conversion/sandbox/usage.ts";
import { untilServed } from "./client.ts";
import { type Deployment, openOneProcess } from "./deployment.ts";
import { type Accepted, openLedger } from "./ledger.ts";
import { breakMount, mountImage, mountMemory, remountImage } from "./mounts.ts";
import { watchRecords } from "./records.ts";
import { endOf, openScene, untilBusy } from "./scene.ts";
import { type Outcome, strike } from "./storm.ts";

const run = promisify(execFile);
const imageMb = 300;

/** The disk image is copied at once: what the kernel had not written to it by then is lost. */
export async function powerCut(home: string, seed: number): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const disks = stack.use(await mountMemory(join(home, "disks"), 2 * imageMb + 20)).path;
  const [image, copy] = [join(disks, "image"), join(disks, "copy")];
  const promised: Accepted[] = [];
  let delivered = 0;
  {
    await using _disk = await mountImage(join(home, "data"), image, imageMb);
    await using deployment = await openOneProcess({ home });
    await using scene = await openScene(deployment, { seed, clients: 6, hasReceiver: false });
    await untilBusy(scene, 80);
    for (const each of scene.ledger.accepted.values()) {
      if (each.told === "promised" && !each.isUnwanted) promised.push(each);
      if (each.told === "done" && !each.isUnwanted) delivered += 1;
    }
    // While copying, only the kernel itself writes.
    for (const pid of treeOf(deployment.gateway.pid ?? 0)) strike(pid, "SIGSTOP");
    await run("cp", ["--sparse=always", image, copy]);
    const abandoned = scene.load.abandon();
    await deployment.gateway.kill();
    await abandoned;
  }
  const after = join(home, "after");
  mkdirSync(after);
  cpSync(join(home, "plans.json"), join(after, "plans.json"));
  stack.use(await remountImage(join(after, "data"), copy));
  const deployment = stack.use(await openOneProcess({ home: after }));
  const ledger = openLedger(false);
  for (const each of promised) ledger.accepted.set(each.jobId, each);
  const [first] = promised;
  if (first === undefined) throw new Error("nothing was promised");
  await untilServed(deployment.url, first.customer.key);
  await using watch = await watchRecords(deployment);
  const end = await endOf({ deployment, ledger, watch, customer: first.customer });
  const rows = new Map([
    ["promised with 202 before the cut", promised.length],
    ["answered with 200 before the cut, for which nothing is promised", delivered],
  ]);
  return { ...end, requests: promised.length, kills: 1, rows };
}

/** At startup, and under load. */
export async function readOnly(home: string, seed: number): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const disks = stack.use(await mountMemory(join(home, "disks"), imageMb + 20)).path;
  const image = join(disks, "image");
  const data = join(home, "data");
  const disk = await mountImage(data, image, imageMb);
  await using deployment = await openOneProcess({ home });
  await using scene = await openScene(deployment, { seed, clients: 4, hasReceiver: false });
  const { ledger } = scene;
  await untilBusy(scene, 20);
  const before = [...ledger.accepted.values()];
  await breakMount(disk);
  ledger.defects.push(...(await unreadiness(deployment)));
  await deployment.gateway.kill();
  await run("mount", ["-o", "remount,ro", data]).catch(() => undefined);
  ledger.defects.push(...(await refusalToStart(deployment)));
  await disk[Symbol.asyncDispose]();
  stack.use(await remountImage(data, image));
  deployment.gateway.resume();
  await untilServed(deployment.url, scene.customers[0].key);
  await untilBusy(scene, 10);
  await scene.load.stop();
  // Uses its own watch: ends that the disk forgot happen again. An answer with its result promises nothing about the disk (decision 3).
  await using watch = await watchRecords(deployment);
  let forgotten = 0;
  for (const { jobId, told } of before) {
    const record = watch.records.get(jobId);
    if (told === "promised" || (record !== undefined && !isInputGone(data, record))) continue;
    ledger.accepted.delete(jobId);
    forgotten += 1;
  }
  const rows = new Map([["answered with 200, and forgotten by the disk that broke", forgotten]]);
  const end = await endOf({ deployment, ledger, watch, customer: scene.customers[0] });
  return { ...end, requests: ledger.requests, kills: 1, rows };
}

/** For an unfinished job of which the disk kept only the record. */
function isInputGone(data: string, { job }: JobRecord): boolean {
  const id = job?.input?.id;
  return id !== undefined && job?.state !== JobState.DONE && !existsSync(join(data, "blobs", id.slice(0, 2), id));
}

/** Expects readiness to report a failure within a minute. */
async function unreadiness({ url }: Deployment): Promise<string[]> {
  for (const until = performance.now() + 60_000; performance.now() < until; await sleep(200)) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.status === 503) return [];
  }
  return ["the service called itself ready on a read-only disk for a minute"];
}

/** Expects one clear message, without a stack trace. */
async function refusalToStart(deployment: Deployment): Promise<string[]> {
  const length = (await readFile(deployment.logFile, "utf8")).length;
  const { gateway } = deployment;
  gateway.resume();
  for (const until = performance.now() + 60_000; gateway.pid !== undefined && performance.now() < until; ) await sleep(50);
  await gateway.halt();
  const said = (await readFile(deployment.logFile, "utf8")).slice(length);
  const [unasked] = gateway.unasked.splice(0);
  const wrong: string[] = [];
  if (!unasked?.what.endsWith("exit code 1")) wrong.push(`a start on a read-only disk: ${unasked?.what ?? "did not end"}`);
  if (!said.includes("DATA_DIR")) wrong.push(`a start on a read-only disk does not name DATA_DIR: ${said.slice(0, 300)}`);
  if (/\n\s+at /.test(said)) wrong.push(`a start on a read-only disk prints a stack: ${said.slice(0, 300)}`);
  return wrong;
}
