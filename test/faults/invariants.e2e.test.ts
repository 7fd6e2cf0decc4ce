/** The checker of `npm run test:faults` detects what it should: each defect is planted in a real service. */
import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { eventually } from "#test/harness/eventually.ts";
import { filesUnder, removeFolder } from "#test/harness/folders.ts";
import { submit } from "./client.ts";
import { openCustomers } from "./customers.ts";
import { type Deployment, openOneProcess, untilReady } from "./deployment.ts";
import { verdictOn } from "./invariants.ts";
import { type Accepted, type Ledger, openLedger } from "./ledger.ts";
import { type Menu, openMenu } from "./orders.ts";
import { type RecordWatch, watchRecords } from "./records.ts";

const stack = new AsyncDisposableStack();
let deployment: Deployment;
let watch: RecordWatch;
let menu: Menu;
let done: Accepted;
const ledger: Ledger = openLedger(false);
beforeAll(async () => {
  await mkdir(".tmp", { recursive: true });
  const home = await mkdtemp(resolve(".tmp/faults-"));
  stack.defer(() => removeFolder(home));
  deployment = stack.use(await openOneProcess({ home, env: { MEDIA_SLOTS: "0", DOCUMENT_SLOTS: "0" } }));
  await untilReady(deployment.url);
  const [customer] = await openCustomers(deployment, 1, undefined, 1);
  watch = stack.use(await watchRecords(deployment));
  menu = await openMenu();
  const order = menu({ below: () => 0, pick: ([first]) => first });
  const accepted = await submit(
    deployment.url,
    ledger,
    { order, customer, inline: true, idempotencyKey: "one" },
    AbortSignal.timeout(60_000),
  );
  if (accepted === undefined) throw new Error("nothing was accepted");
  done = accepted;
  await eventually(() => expect(watch.records.get(done.jobId)?.job?.state).toBe(JobState.DONE));
});
afterAll(() => stack.disposeAsync());

const verdict = (of: Ledger = ledger, seen: RecordWatch = watch) => verdictOn(deployment, of, seen, 2000);
const withAccepted = (change: Partial<Accepted>): Ledger => {
  const changed = { ...done, ...change };
  return { ...ledger, accepted: new Map([[changed.jobId, changed]]) };
};

it("finds nothing wrong in an intact service", async () => {
  expect(await verdictOn(deployment, ledger, watch)).toEqual({ accepted: 1, lost: [], twice: [], defects: [] });
});

it("detects lost jobs and jobs that were published twice", async () => {
  expect((await verdict(withAccepted({ jobId: "01jd0000000000000000000000" }))).lost).toHaveLength(1);
  const results = new Map([[done.jobId, new Set(["a", "b"])]]);
  const { twice } = await verdict(
    { ...ledger, idsByKey: new Map([["one", new Set(["a", "b"])]]) },
    { ...watch, results, undone: new Set(["x"]) },
  );
  expect(twice).toHaveLength(3);
});

it("detects jobs that ended differently than they should", async () => {
  const record = watch.records.get(done.jobId);
  if (record?.job === undefined) throw new Error("the job is gone");
  const withJob = (job: Partial<typeof record.job>): RecordWatch => {
    return { ...watch, records: new Map([[done.jobId, { ...record, job: { ...record.job, ...job } as typeof record.job }]]) };
  };
  const defectsOf = async (seen: RecordWatch, of = ledger) => (await verdict(of, seen)).defects.join("\n");
  expect(await defectsOf(withJob({ state: JobState.FAILED }))).toMatch(
    /failed without a reason[\s\S]*a good file, failed[\s\S]*answered as done/,
  );
  expect(await defectsOf(withJob({ state: JobState.CANCELLED }))).toContain("which nobody asked for");
  expect(await defectsOf(withJob({ attempts: 11 }))).toContain("had 11 attempts");
  expect(await defectsOf(watch, withAccepted({ isGood: false }))).toContain("a damaged file, is done");
  expect(await defectsOf(watch, { ...ledger, hasReceiver: true })).toContain("no webhook was told");
});

it("detects leftover files and processes, and results that do not match their record", async () => {
  const [blob] = (await filesUnder(resolve(deployment.dataDir, "blobs"))).filter((path) =>
    path.includes(watch.records.get(done.jobId)?.job?.result?.id ?? "-"),
  );
  if (blob === undefined) throw new Error("the result is gone");
  await writeFile(`${blob.slice(0, -4)}ffff`, "x");
  await chmod(blob, 0o644);
  await writeFile(blob, "another");
  const left = spawn("sleep", ["600"], { argv0: deployment.dataDir, stdio: "ignore" });
  const owners = new Set(["somebody"]);
  const marked = spawn("sleep", ["600"], { argv0: "filemill-sandbox:somebody", stdio: "ignore" });
  try {
    const { defects } = await verdict({ ...ledger, owners });
    expect(defects.join("\n")).toMatch(/is not what its record says[\s\S]*belongs to no job[\s\S]*is left[\s\S]*is left/);
  } finally {
    left.kill();
    marked.kill();
  }
});
