/** The suite's only checker: what must hold once everything is at rest, whatever was killed before. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Reason } from "#gen/filemill/common/v1/error_pb.ts";
import { type JobRecord, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { markOf } from "#services/conversion/sandbox/orphans.ts";
import { treeOf } from "#services/conversion/sandbox/usage.ts";
import { neededBlobsOf } from "#services/job/domain/retention.ts";
import { isRecord } from "#services/job/domain/state.ts";
import { entriesOf, filesUnder } from "#test/harness/folders.ts";
import type { Deployment } from "./deployment.ts";
import type { Accepted, Ledger } from "./ledger.ts";
import { isOpen, type RecordWatch, wakeUpsIn } from "./records.ts";

const restMs = 180_000;
const maxAttempts = 10;

export type Verdict = {
  readonly accepted: number;
  /** Accepted, but neither ended nor removed by the client. */
  readonly lost: readonly string[];
  /** Ended with more than one result, notified twice, or created twice for one Idempotency-Key. */
  readonly twice: readonly string[];
  readonly defects: readonly string[];
};

/** Waits until every record has ended and been processed, within a limit. */
export async function untilAtRest(watch: RecordWatch): Promise<boolean> {
  for (const until = performance.now() + restMs; performance.now() < until; await sleep(100)) {
    if ([...watch.records.values()].every(({ job, deleted }) => job !== undefined && (deleted || !isOpen(job.state)))) return true;
  }
  return false;
}

/** @param patienceMs - How long pending work may take. */
export async function verdictOn(deployment: Deployment, ledger: Ledger, watch: RecordWatch, patienceMs = 60_000): Promise<Verdict> {
  const accepted = [...ledger.accepted.values()];
  const records = [...watch.records.values()];
  const results = await resultsOf(deployment, accepted, watch);
  const lost = accepted
    .filter((each) => isLost(each, watch))
    .map(({ jobId, told }) => `job ${jobId}, ${told}, is ${stateIn(watch, jobId)}`);
  return {
    accepted: accepted.length,
    lost,
    twice: [
      ...[...watch.results].filter(([, ids]) => ids.size > 1).map(([id]) => `job ${id} had several results`),
      ...[...watch.undone].map((id) => `job ${id} began again after it was done`),
      ...[...ledger.messages].filter(([, ids]) => ids.size > 1).map(([id]) => `job ${id} was told by several messages`),
      ...[...ledger.idsByKey].filter(([, ids]) => ids.size > 1).map(([key]) => `the key ${key} made several jobs`),
    ],
    defects: [
      ...ledger.defects,
      ...records.flatMap((record) => wrongIn(record, ledger.accepted.get(record.job?.id ?? ""))),
      ...results,
      ...(await untold(ledger, watch, patienceMs)),
      ...(await leftOvers({ deployment, ledger, watch }, patienceMs)),
      ...unaskedEnds(deployment, ledger),
    ],
  };
}

function stateIn(watch: RecordWatch, jobId: string): string {
  const job = watch.records.get(jobId)?.job;
  return job === undefined ? "unknown" : `${nameIn(JobState, job.state)} after ${job.attempts} attempts`;
}

/** A service without a broker reports that after some seconds at startup and exits; its supervisor restarts it. */
const brokerlessMs = 30_000;

function unaskedEnds({ keepers }: Deployment, { brokerHits }: Ledger): string[] {
  const isExcused = (atMs: number): boolean => brokerHits.some((hitMs) => atMs > hitMs && atMs - hitMs < brokerlessMs);
  return keepers.flatMap(({ unasked }) => unasked).flatMap(({ what, atMs }) => (isExcused(atMs) ? [] : [what]));
}

function nameIn(values: Readonly<Record<string, number>>, value: number): string {
  return Object.entries(values).find(([, each]) => each === value)?.[0] ?? String(value);
}

function isLost({ jobId, isUnwanted }: Accepted, watch: RecordWatch): boolean {
  const record = watch.records.get(jobId);
  if (record?.job === undefined) return !isUnwanted;
  return (record.deleted && !isUnwanted) || (isOpen(record.job.state) && !record.deleted);
}

function wrongIn(record: JobRecord, accepted: Accepted | undefined): string[] {
  const { job } = record;
  if (job === undefined) return ["a record without a job"];
  const name = `job ${job.id} (${job.from} to ${job.to})`;
  const wrong: string[] = [];
  if (job.attempts > maxAttempts) wrong.push(`${name} had ${job.attempts} attempts`);
  if (job.state === JobState.FAILED && (job.error?.reason ?? Reason.UNSPECIFIED) === Reason.UNSPECIFIED)
    wrong.push(`${name} failed without a reason`);
  if (accepted === undefined || record.deleted) return wrong;
  if (accepted.isGood && job.state === JobState.FAILED) {
    wrong.push(
      `${name}, a good file, failed after ${job.attempts} attempts: ${nameIn(Reason, job.error?.reason ?? 0)} ${job.error?.message}`,
    );
  }
  if (!accepted.isGood && job.state === JobState.DONE) wrong.push(`${name}, a damaged file, is done`);
  if (job.state === JobState.CANCELLED && !accepted.isUnwanted) wrong.push(`${name} was cancelled, which nobody asked for`);
  if (accepted.told === "done" && job.state !== JobState.DONE && !accepted.isUnwanted) {
    wrong.push(`${name} was answered as done and is ${nameIn(JobState, job.state)}`);
  }
  return wrong;
}

/** Each job's results exist, are complete and match the record. */
async function resultsOf(deployment: Deployment, accepted: readonly Accepted[], watch: RecordWatch): Promise<string[]> {
  const wrong: string[] = [];
  for (const { jobId, customer } of accepted) {
    const record = watch.records.get(jobId);
    if (record?.job?.state !== JobState.DONE || record.deleted) continue;
    const digest = await downloaded(`${deployment.url}/api/v1/jobs/${jobId}/download`, customer.key);
    if (digest !== record.job.result?.digest) wrong.push(`the result of job ${jobId} is not what its record says: ${digest}`);
  }
  return wrong;
}

/** The digest, or what came instead. */
async function downloaded(url: string, key: string): Promise<string> {
  try {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    return answer.status === 200 ? createHash("sha256").update(bytes).digest("hex") : `answered ${answer.status}`;
  } catch (error) {
    return String(error);
  }
}

/** Every end is reported to the webhooks, even if late. */
async function untold(ledger: Ledger, watch: RecordWatch, patienceMs: number): Promise<string[]> {
  if (!ledger.hasReceiver) return [];
  const missing = (): string[] =>
    [...ledger.accepted.values()]
      .filter(({ jobId, isUnwanted }) => !isUnwanted && isTold(watch.records.get(jobId)) && !ledger.messages.has(jobId))
      .map(({ jobId }) => `no webhook was told of job ${jobId}`);
  for (const until = performance.now() + patienceMs; missing().length > 0 && performance.now() < until; ) await sleep(200);
  return missing();
}

function isTold(record: JobRecord | undefined): boolean {
  return record?.job?.state === JobState.DONE || record?.job?.state === JobState.FAILED;
}

type Seen = { readonly deployment: Deployment; readonly ledger: Ledger; readonly watch: RecordWatch };

/** Checks broker, blobs, scratch and processes until they are clean, for at most `patienceMs`. */
async function leftOvers({ deployment, ledger, watch }: Seen, patienceMs: number): Promise<string[]> {
  let found: string[];
  for (const until = performance.now() + patienceMs; ; await sleep(200)) {
    found = [
      ...(await strayWakeUps(deployment, watch)),
      ...(await strayBlobs(deployment, watch)),
      ...(await strayScratch(deployment)),
      ...strayProcesses(deployment, ledger),
    ];
    if (found.length === 0 || performance.now() > until) return found;
  }
}

async function strayWakeUps(deployment: Deployment, watch: RecordWatch): Promise<string[]> {
  const ids = await wakeUpsIn(await deployment.natsUrl());
  return ids
    .filter((id) => isOpen(watch.records.get(id)?.job?.state ?? JobState.UNSPECIFIED))
    .map((id) => `a message for job ${id} is left`);
}

async function strayBlobs({ dataDir }: Deployment, watch: RecordWatch): Promise<string[]> {
  const present = new Set((await filesUnder(join(dataDir, "blobs"))).map((path) => path.split("/").at(-1) ?? ""));
  const needed = new Set([...watch.records.values()].flatMap((record) => (isRecord(record) ? neededBlobsOf(record) : [])));
  return [
    ...[...present].filter((id) => !needed.has(id)).map((id) => `the blob ${id} belongs to no job`),
    ...[...needed].filter((id) => !present.has(id)).map((id) => `the blob ${id} of a job is gone`),
  ];
}

/** Results in progress, and files between two hops. */
const madeForJobs = /^[0-9a-f]{8}-[0-9a-f-]{27}\./;

/** One folder for the living worker, without anything from a job. */
async function strayScratch({ dataDir }: Deployment): Promise<string[]> {
  const scratch = join(dataDir, "scratch");
  const folders = await entriesOf(scratch);
  const inside = await Promise.all(folders.map(({ name }) => entriesOf(join(scratch, name))));
  const files = inside.flat().filter((entry) => madeForJobs.test(entry.name));
  // An empty folder, from a process killed before locking it, is removed by a later start.
  const kept = inside.filter((entries) => entries.length > 0).length;
  return [
    ...(kept > 1 ? [`${kept - 1} scratch folders of dead processes are left`] : []),
    ...files.map(({ name }) => `the scratch file ${name} is left`),
  ];
}

/** A process that names our DATA_DIR or is a sandbox of one of our workers was started by the suite. */
function strayProcesses({ dataDir, keepers }: Deployment, { owners }: Ledger): string[] {
  const ours = new Set(keepers.flatMap(({ pid }) => (pid === undefined ? [] : treeOf(pid))));
  const marks = [...owners].map((owner) => markOf(owner));
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && !ours.has(Number(name)) && Number(name) !== process.pid)
    .map((pid) => ({ pid, command: read(pid, "cmdline") }))
    .filter(({ pid, command }) => {
      const isMarked = marks.some((mark) => command.includes(mark));
      return isMarked || command.includes(dataDir) || read(pid, "mountinfo").includes(join(dataDir, "scratch"));
    })
    .map(({ pid, command }) => `process ${pid} is left: ${command.slice(0, 100)}`);
}

function read(pid: string, file: "cmdline" | "mountinfo"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
