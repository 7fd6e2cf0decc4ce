/** One budget per payer, with a real broker and disk: stored data, a single result, CPU time. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { type Ask, failureOf, hour, type JobBench, openJobBench } from "./job-harness.ts";

const mb = 1_000_000;
const bounds = { guest: false, maxStoredMb: 3, maxResultMb: 2, processorSecondsPerHour: 100 };

let bench: JobBench;
beforeEach(async () => {
  bench = await openJobBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

/** The budget belongs to the account unless it names another payer. */
const ask = async (accountId: string, budget: object = {}, bytes = 1000): Promise<Ask> =>
  bench.request({ accountId, input: await bench.blob("x".repeat(bytes)), budget: budgetOf(accountId, budget) });

function budgetOf(accountId: string, budget: object = {}): NonNullable<Ask["budget"]> {
  return { $typeName: "filemill.job.v1.Budget", id: accountId, ...bounds, ...budget };
}

async function claimed(request: Ask) {
  const { job } = await bench.jobs.createJob(request);
  const { lease } = await bench.leases.claimAttempt({ jobId: job?.id ?? "", worker: "w", leaseMs: 30_000 });
  if (job === undefined || lease?.jobId !== job.id) throw new Error("the job was not leased");
  return { job, lease };
}

async function finish(jobId: string, bytes: number, processorMs = 0) {
  const blob = await bench.blob("y".repeat(bytes));
  const outcome = { case: "result", value: { blob } } as const;
  const { accepted } = await bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w", outcome, processorMs: BigInt(processorMs) });
  return { accepted, blob };
}

async function done(accountId: string, bytes: number, budget: object = {}): Promise<string> {
  const { job } = await claimed(await ask(accountId, budget));
  await finish(job.id, bytes);
  return job.id;
}

const stored = async (accountId: string): Promise<number> => Number((await bench.jobs.getLoad({ accountId })).accountStoredBytes);
const stateOf = async (accountId: string, jobId: string) => (await bench.jobs.getJob({ accountId, jobId })).job;

describe("stored data", () => {
  it("counts the input until the job ends, then the result until it is deleted", async () => {
    const { job } = await claimed(await ask("kept", {}, 700));
    expect(await stored("kept")).toBe(700);
    await finish(job.id, 1200);
    expect(await stored("kept")).toBe(1200);
    await bench.jobs.deleteJob({ accountId: "kept", jobId: job.id });
    expect(await stored("kept")).toBe(0);
  });

  it("blocks new inputs over the plan's quota, says what to delete, and accepts them once that is done", async () => {
    const ids = [await done("full", 1.5 * mb), await done("full", 1.5 * mb)];
    const refusal = await failureOf(bench.jobs.createJob(await ask("full")));
    expect(refusal).toMatchObject({ code: "QUOTA_EXCEEDED", details: { limitMb: 3, usedMb: 3 }, retryAfterMs: undefined });
    expect(refusal?.message).toMatch(/DELETE \/api\/v1\/jobs\/\{id\}.*wait until \d{4}-/);
    expect((await failureOf(bench.jobs.checkBudget({ budget: budgetOf("full"), inputBytes: 1n })))?.code).toBe("QUOTA_EXCEEDED");
    await bench.jobs.deleteJob({ accountId: "full", jobId: ids[0] ?? "" });
    expect(await failureOf(bench.jobs.createJob(await ask("full")))).toBeUndefined();
    expect(await bench.jobs.checkBudget({ budget: budgetOf("full") })).toMatchObject({ roomBytes: BigInt(1.5 * mb - 1000) });
  });

  it("stays within the quota when uploads run concurrently", async () => {
    const requests = await Promise.all(Array.from({ length: 8 }, () => ask("parallel", {}, mb)));
    const failures = await Promise.all(requests.map((request) => failureOf(bench.jobs.createJob(request))));
    expect(failures.filter((failure) => failure === undefined)).toHaveLength(3);
    expect(failures.filter((failure) => failure?.code === "QUOTA_EXCEEDED")).toHaveLength(5);
    expect(await stored("parallel")).toBe(3 * mb);
  });

  it("stays within the quota when results arrive concurrently: a job without room fails and its result is deleted", async () => {
    const jobs = [];
    for (let count = 0; count < 5; count += 1) jobs.push((await claimed(await ask("together"))).job);
    const ends = await Promise.all(jobs.map(({ id }) => finish(id, 1.4 * mb)));
    expect(ends.map(({ accepted }) => accepted)).toEqual(Array(5).fill(true));
    const ended = await Promise.all(jobs.map(({ id }) => stateOf("together", id)));
    expect(ended.filter((job) => job?.state === JobState.DONE)).toHaveLength(2);
    expect(ended.filter((job) => job?.error?.message.includes("using 2.8 of your 3 MB"))).toHaveLength(3);
    expect(await stored("together")).toBe(2.8 * mb);
    const left = async () => (await Promise.all(ends.map(({ blob }) => bench.blobs.has(blob.id)))).filter(Boolean).length;
    await expect.poll(left).toBe(2);
  });

  it("has room for a result that fits once its own input is freed", async () => {
    const { job, lease } = await claimed(await ask("swap", {}, 2 * mb));
    expect(lease.roomBytes).toBe(BigInt(3 * mb));
    await finish(job.id, 2 * mb);
    expect((await stateOf("swap", job.id))?.state).toBe(JobState.DONE);
  });

  it("has a separate limit for a single result", async () => {
    const { job } = await claimed(await ask("large"));
    const { blob } = await finish(job.id, 2 * mb + 1);
    const ended = await stateOf("large", job.id);
    expect([ended?.state, ended?.error?.details]).toEqual([JobState.FAILED, { limitMb: 2 }]);
    await expect.poll(() => bench.blobs.has(blob.id)).toBe(false);
  });

  it("is the same in another process and after a restart", async () => {
    await done("again", 1.5 * mb);
    const { job } = await claimed(await ask("again", {}, 5000));
    // As if a process had been killed between publishing a result and recording it.
    await bench.blob("z".repeat(mb));
    await using peer = await bench.peer();
    const { accountStoredBytes } = await peer.jobs.getLoad({ accountId: "again" });
    expect([Number(accountStoredBytes), await stored("again")]).toEqual([1.5 * mb + 5000, 1.5 * mb + 5000]);
    await bench.jobs.deleteJob({ accountId: "again", jobId: job.id });
    await expect.poll(async () => Number((await peer.jobs.getLoad({ accountId: "again" })).accountStoredBytes)).toBe(1.5 * mb);
  });

  it("is reported in the metrics by class, along with quota refusals", async () => {
    await done("metered", 1000, { id: "address_metered", guest: true });
    await done("metered", 2 * mb);
    await finish((await claimed(await ask("metered"))).job.id, 2 * mb + 1);
    await failureOf(bench.jobs.createJob(await ask("metered", {}, 2 * mb)));
    const text = await bench.metrics.metrics();
    expect(text).toMatch(/filemill_stored_bytes\{class="guest"\} 1000\b/);
    expect(text).toMatch(/filemill_stored_bytes\{class="account"\} [1-9]/);
    for (const quota of ["stored", "result"])
      expect(text).toMatch(new RegExp(`quota_refusals_total\\{class="account",quota="${quota}"\\} [1-9]`));
  });

  it("has no limit for a caller that sets no budget", async () => {
    const { job } = await bench.jobs.createJob(await bench.request({ accountId: "internal" }));
    const { lease } = await bench.leases.claimAttempt({ jobId: job?.id ?? "", worker: "w", leaseMs: 30_000 });
    expect([lease?.budget, lease?.roomBytes]).toEqual([undefined, undefined]);
  });
});

describe("guests at one address", () => {
  it("share one budget and one limit of unfinished jobs, whatever their cookies", async () => {
    const shared = { id: "address_1", guest: true };
    await done("guest_a", 1.5 * mb, shared);
    await done("guest_b", 1.4 * mb, shared);
    expect((await failureOf(bench.jobs.createJob(await ask("guest_c", shared, 200_000))))?.code).toBe("QUOTA_EXCEEDED");
    expect(await failureOf(bench.jobs.createJob(await ask("guest_c", { id: "address_2", guest: true }, 200_000)))).toBeUndefined();

    const places = { id: "address_3", guest: true };
    for (const account of ["guest_d", "guest_e"]) await bench.jobs.createJob({ ...(await ask(account, places)), planMaxUnfinishedJobs: 2 });
    const third = bench.jobs.createJob({ ...(await ask("guest_f", places)), planMaxUnfinishedJobs: 2 });
    expect((await failureOf(third))?.code).toBe("TOO_MANY_JOBS");
  });

  it("share one turn in the queue, after accounts with as few running jobs", async () => {
    await using quiet = await openJobBench();
    const create = async (accountId: string, id: string) =>
      (await quiet.jobs.createJob(await quiet.request({ accountId, budget: budgetOf(accountId, { id, guest: id !== accountId }) }))).job
        ?.id ?? "";
    const many = [await create("guest_1", "address_x"), await create("guest_2", "address_x"), await create("guest_3", "address_x")];
    const other = await create("guest_4", "address_y");
    const account = await create("acc", "acc");
    const order: (string | undefined)[] = [];
    for (const jobId of [...many, other, account])
      order.push((await quiet.leases.claimAttempt({ jobId, worker: "w", leaseMs: 30_000 })).lease?.jobId);
    expect([order.indexOf(account), order.indexOf(other)]).toEqual([0, 2]);
  });
});

describe("CPU time", () => {
  it("of the last hour blocks new jobs until enough of it is over an hour old", async () => {
    const { job } = await claimed(await ask("busy"));
    await finish(job.id, 1000, 100_000);
    expect((await bench.jobs.getLoad({ accountId: "busy" })).accountProcessorMs).toBe(100_000n);
    const refusal = await failureOf(bench.jobs.createJob(await ask("busy")));
    expect(refusal).toMatchObject({ code: "QUOTA_EXCEEDED", details: { limitSeconds: 100, usedSeconds: 100 } });
    expect(refusal?.retryAfterMs).toBeGreaterThan(hour * 0.9);
    await using peer = await bench.peer();
    expect((await failureOf(peer.jobs.createJob(await ask("busy"))))?.code).toBe("QUOTA_EXCEEDED");
    bench.clock.advance(hour);
    expect(await failureOf(bench.jobs.createJob(await ask("busy")))).toBeUndefined();
  });

  it.each([
    ["final", false],
    ["retryable", true],
  ])("is counted once when a worker reports a %s failure twice", async (_what, retryable) => {
    const { job } = await claimed(await ask("unlucky"));
    const ending = { jobId: job.id, attempt: 1, worker: "w", durationMs: 50, processorMs: 20_000n };
    const failure = { ...ending, outcome: { case: "failure", value: { retryable } } } as const;
    const told = await bench.leases.finishAttempt(failure);
    expect(await bench.leases.finishAttempt(failure)).toMatchObject({ accepted: true });
    expect(told.accepted).toBe(true);
    expect((await bench.jobs.getLoad({ accountId: "unlucky" })).accountProcessorMs).toBe(20_000n);
  });

  it("counts for a job that is deleted while it runs", async () => {
    const { job } = await claimed(await ask("sly"));
    await bench.jobs.deleteJob({ accountId: "sly", jobId: job.id });
    expect((await finish(job.id, 1000, 100_000)).accepted).toBe(false);
    expect((await failureOf(bench.jobs.createJob(await ask("sly"))))?.details).toMatchObject({ limitSeconds: 100 });
  });
});

describe("low disk space", () => {
  it("expires guests' results, oldest first, and no one else's", async () => {
    await using short = await openJobBench({ settings: { GUEST_RESERVE_MB: 1_000_000 } });
    const finished = async (accountId: string, guest: boolean) => {
      const budget = budgetOf(accountId, { id: guest ? "address_s" : accountId, guest, maxStoredMb: 0 });
      const { job } = await short.jobs.createJob(await short.request({ accountId, budget }));
      const jobId = job?.id ?? "";
      await short.leases.claimAttempt({ jobId, worker: "w", leaseMs: 30_000 });
      const outcome = { case: "result", value: { blob: await short.blob("result") } } as const;
      await short.leases.finishAttempt({ jobId, attempt: 1, worker: "w", outcome });
      return jobId;
    };
    const own = await finished("acc", false);
    const guests = [await finished("guest_1", true), await finished("guest_2", true)];
    // No test machine has a terabyte free, so everything removable is removed: now, or by the disk check each second.
    const { freedBytes } = await short.jobs.makeRoom({});
    expect([0n, 6n, 12n]).toContain(freedBytes);
    for (const [index, jobId] of guests.entries()) {
      const { job } = await short.jobs.getJob({ accountId: `guest_${index + 1}`, jobId });
      expect(job?.state).toBe(JobState.EXPIRED);
      expect(await short.blobs.has(job?.result?.id ?? "")).toBe(false);
    }
    expect((await short.jobs.getJob({ accountId: "acc", jobId: own })).job?.state).toBe(JobState.DONE);
  });
});

it("frees the budget when a job expires", async () => {
  await using brief = await openJobBench({ cadence: { expireMs: 20 } });
  const budget = budgetOf("brief");
  const { job } = await brief.jobs.createJob(await brief.request({ accountId: "brief", budget, planRetentionSeconds: 60 }));
  const jobId = job?.id ?? "";
  await brief.leases.claimAttempt({ jobId, worker: "w", leaseMs: 30_000 });
  const outcome = { case: "result", value: { blob: await brief.blob("y".repeat(2 * mb)) } } as const;
  await brief.leases.finishAttempt({ jobId, attempt: 1, worker: "w", outcome });
  const storedNow = async () => Number((await brief.jobs.getLoad({ accountId: "brief" })).accountStoredBytes);
  expect(await storedNow()).toBe(2 * mb);
  brief.clock.advance(61_000);
  await expect.poll(storedNow).toBe(0);
});
