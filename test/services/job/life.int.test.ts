import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { Reason } from "#gen/filemill/common/v1/error_pb.ts";
import { type Job, JobState, ClaimAttemptResponse_Outcome as Outcome } from "#gen/filemill/job/v1/job_pb.ts";
import { opened } from "#test/harness/opened.ts";
import { createClaimed, failureOf, openJobBench } from "./job-harness.ts";

const bench = opened(openJobBench);
/** Otherwise a test's unfinished jobs would be delivered in the next one. */
afterEach(async () => {
  const { jobs } = await bench.jobs.listJobs({ accountId: "acc", limit: 100 });
  const open = jobs.filter(({ state }) => state === JobState.QUEUED || state === JobState.RUNNING);
  await Promise.all(open.map(({ id }) => bench.jobs.deleteJob(mine(id))));
});

const mine = (jobId: string) => ({ accountId: "acc", jobId });
const result = async (content = "output") => ({ case: "result" as const, value: { blob: await bench.blob(content), notes: [] } });
const failure = (retryable: boolean) => ({
  case: "failure" as const,
  value: { error: { reason: Reason.CONVERSION_FAILED, message: "The engine gave up." }, retryable },
});

describe("a job's life", () => {
  it("goes from queued to done, with every step visible to a watcher", async () => {
    const request = await bench.request({
      notes: [{ $typeName: "filemill.common.v1.Note", code: "CONTENT_TYPE_CORRECTED", message: "m" }],
    });
    const { job } = await bench.jobs.createJob(request);
    const jobId = job?.id ?? "";
    expect(job).toMatchObject({ state: JobState.QUEUED, queuePosition: 1, from: "png", to: "webp", async: false });
    await expect.poll(() => bench.queue.has("image", jobId)).toBe(true);

    const seen: Job[] = [];
    const watching = (async () => {
      for await (const each of bench.jobs.watchJob(mine(jobId))) if (each.job !== undefined) seen.push(each.job);
    })();
    await expect.poll(() => seen.length).toBe(1);
    const claim = await bench.leases.claimAttempt({ jobId, worker: "w1", leaseMs: 30_000 });
    expect(claim).toMatchObject({ outcome: Outcome.LEASED, lease: { jobId, attempt: 1, input: request.input, plan: { lane: "image" } } });
    await bench.leases.heartbeat({ jobId, attempt: 1, worker: "w1", leaseMs: 30_000, progress: 0.5 });
    const outcome = await result();
    const finish = { jobId, attempt: 1, worker: "w1", outcome, durationMs: 12 };
    expect(await bench.leases.finishAttempt(finish)).toMatchObject({ accepted: true });
    await watching;

    expect(seen.map(({ state, progress }) => [state, progress])).toEqual([
      [JobState.QUEUED, undefined],
      [JobState.RUNNING, undefined],
      [JobState.RUNNING, 0.5],
      [JobState.DONE, undefined],
    ]);
    const done = seen.at(-1);
    expect(done).toMatchObject({ result: { id: outcome.value.blob.id }, durationMs: 12, attempts: 1 });
    expect(done?.notes.map(({ code }) => code)).toEqual(["CONTENT_TYPE_CORRECTED"]);
    expect([done?.queuePosition, done?.estimateMs]).toEqual([undefined, undefined]);
    expect((await bench.jobs.getJob(mine(jobId))).job).toEqual(done);
    await expect.poll(() => bench.blobs.has(request.input?.id ?? "")).toBe(false);
    expect(await bench.blobs.has(outcome.value.blob.id)).toBe(true);
    // The answer was lost: the same result again is still the accepted one.
    expect(await bench.leases.finishAttempt(finish)).toMatchObject({ accepted: true });
    expect(await bench.blobs.has(outcome.value.blob.id)).toBe(true);
  });

  it("leases an attempt to one of many workers and tells the others when to retry", async () => {
    const { job } = await bench.jobs.createJob(await bench.request());
    const workers = Array.from({ length: 20 }, (_, index) => `w${index}`);
    const claims = await Promise.all(workers.map((worker) => bench.leases.claimAttempt({ jobId: job?.id ?? "", worker, leaseMs: 20_000 })));
    expect(claims.filter(({ outcome }) => outcome === Outcome.LEASED)).toHaveLength(1);
    const busy = claims.filter(({ outcome }) => outcome === Outcome.BUSY);
    expect(busy).toHaveLength(19);
    for (const { retryMs } of busy) expect(retryMs).toBeLessThanOrEqual(20_000);
    for (const { retryMs } of busy) expect(retryMs).toBeGreaterThan(15_000);
  });

  it("rejects a worker that was paused past its lease, and deletes its result", async () => {
    const { jobId } = await createClaimed(bench, "slow");
    bench.clock.advance(30_001);
    const second = await bench.leases.claimAttempt({ jobId, worker: "fast", leaseMs: 30_000 });
    expect(second.lease?.attempt).toBe(2);
    expect(await bench.leases.heartbeat({ jobId, attempt: 1, worker: "slow", leaseMs: 30_000 })).toMatchObject({ cancelled: true });
    const late = await result("late");
    expect(await bench.leases.finishAttempt({ jobId, attempt: 1, worker: "slow", outcome: late })).toMatchObject({ accepted: false });
    await expect.poll(() => bench.blobs.has(late.value.blob.id)).toBe(false);
    const good = await result("good");
    expect(await bench.leases.finishAttempt({ jobId, attempt: 2, worker: "fast", outcome: good })).toMatchObject({ accepted: true });
    expect((await bench.jobs.getJob(mine(jobId))).job?.result?.id).toBe(good.value.blob.id);
  });

  it("keeps a lease for as long as it is renewed", async () => {
    const { jobId } = await createClaimed(bench, "steady");
    for (let beat = 0; beat < 5; beat += 1) {
      bench.clock.advance(20_000);
      expect(await bench.leases.heartbeat({ jobId, attempt: 1, worker: "steady", leaseMs: 30_000 })).toMatchObject({ cancelled: false });
    }
    expect((await bench.leases.claimAttempt({ jobId, worker: "other", leaseMs: 30_000 })).outcome).toBe(Outcome.BUSY);
    // A change of the system date does not end it.
    bench.clock.setDate(3 * 3600_000);
    expect((await bench.leases.claimAttempt({ jobId, worker: "other", leaseMs: 30_000 })).outcome).toBe(Outcome.BUSY);
    bench.clock.setDate(-3 * 3600_000);
  });

  it("retries a retryable failure twice, then fails with its reason", async () => {
    using _stopped = bench.clock.stop();
    const { jobId, input } = await createClaimed(bench);
    const delays: (number | undefined)[] = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      // Never early, whichever message arrives.
      if (attempt > 1) {
        const early = await bench.leases.claimAttempt({ jobId, worker: "w1", leaseMs: 30_000 });
        expect(early).toMatchObject({ outcome: Outcome.BUSY });
        bench.clock.advance(early.retryMs);
        expect((await bench.leases.claimAttempt({ jobId, worker: "w1", leaseMs: 30_000 })).lease?.jobId).toBe(jobId);
      }
      const finished = await bench.leases.finishAttempt({ jobId, attempt, worker: "w1", outcome: failure(true), durationMs: 3 });
      expect(finished.accepted).toBe(true);
      delays.push(finished.retryInMs);
    }
    expect(delays[0]).toBeGreaterThanOrEqual(800);
    expect(delays[0]).toBeLessThanOrEqual(1200);
    expect(delays[1]).toBeGreaterThanOrEqual(4000);
    expect(delays[2]).toBeUndefined();
    const { job } = await bench.jobs.getJob(mine(jobId));
    expect(job).toMatchObject({ state: JobState.FAILED, attempts: 3, error: { reason: Reason.CONVERSION_FAILED }, durationMs: 3 });
    await expect.poll(() => bench.blobs.has(input.id)).toBe(false);
    expect((await bench.leases.claimAttempt({ jobId, worker: "w1", leaseMs: 30_000 })).outcome).toBe(Outcome.SETTLED);
  });

  it("fails at once if a retry is pointless", async () => {
    const { jobId } = await createClaimed(bench);
    const finished = await bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome: failure(false), durationMs: 3 });
    expect(finished).toMatchObject({ accepted: true });
    expect(finished.retryInMs).toBeUndefined();
    expect((await bench.jobs.getJob(mine(jobId))).job).toMatchObject({ state: JobState.FAILED, attempts: 1 });
  });

  it("fails a job whose workers died three times", async () => {
    const { jobId } = await createClaimed(bench, "dead1");
    for (const worker of ["dead2", "dead3"]) {
      bench.clock.advance(30_001);
      expect((await bench.leases.claimAttempt({ jobId, worker, leaseMs: 30_000 })).outcome).toBe(Outcome.LEASED);
    }
    bench.clock.advance(30_001);
    expect((await bench.leases.claimAttempt({ jobId, worker: "w4", leaseMs: 30_000 })).outcome).toBe(Outcome.SETTLED);
    expect((await bench.jobs.getJob(mine(jobId))).job).toMatchObject({
      state: JobState.FAILED,
      error: { reason: Reason.CONVERSION_FAILED },
    });
  });
});

describe("ending a job", () => {
  it("cancels a queued job and takes it off the queue", async () => {
    const request = await bench.request();
    const { job } = await bench.jobs.createJob(request);
    const jobId = job?.id ?? "";
    await expect.poll(() => bench.queue.has("image", jobId)).toBe(true);
    expect((await bench.jobs.cancelJob(mine(jobId))).job).toMatchObject({ state: JobState.CANCELLED });
    await expect.poll(() => bench.queue.has("image", jobId)).toBe(false);
    await expect.poll(() => bench.blobs.has(request.input?.id ?? "")).toBe(false);
    expect((await bench.jobs.cancelJob(mine(jobId))).job).toMatchObject({ state: JobState.CANCELLED });
  });

  it("notifies at once only the worker of that job", async () => {
    const stop = new AbortController();
    const told: [string, string, number][] = [];
    const listen = async (worker: string) => {
      for await (const each of bench.leases.watchCancellations({ worker }, { signal: stop.signal }))
        told.push([worker, each.jobId, each.attempt]);
    };
    const ended = Promise.allSettled([listen("wa"), listen("wb")]);
    const first = await createClaimed(bench, "wa");
    const second = await createClaimed(bench, "wa");
    const third = await createClaimed(bench, "wb");
    await sleep(20);
    await bench.jobs.cancelJob(mine(first.jobId));
    await bench.jobs.deleteJob(mine(third.jobId));
    await bench.leases.finishAttempt({ jobId: second.jobId, attempt: 1, worker: "wa", outcome: await result() });
    await expect.poll(() => told).toHaveLength(2);
    expect(told).toEqual([
      ["wa", first.jobId, 1],
      ["wb", third.jobId, 1],
    ]);
    expect(await bench.leases.heartbeat({ jobId: first.jobId, attempt: 1, worker: "wa", leaseMs: 1000 })).toMatchObject({
      cancelled: true,
    });
    stop.abort();
    await ended;
  });

  it("lets either cancel or finish win, 200 times", async () => {
    let cancelWins = 0;
    for (let round = 0; round < 200; round += 1) {
      const { jobId, input } = await createClaimed(bench);
      const outcome = await result();
      const cancelling = bench.jobs.cancelJob(mine(jobId));
      // From "before the cancel is sent" to "while it is in progress".
      for (let turn = 0; turn < round % 4; turn += 1) await setImmediate();
      const finishing = bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome });
      const [finished] = await Promise.all([finishing, cancelling]);
      const { job } = await bench.jobs.getJob(mine(jobId));
      expect(job?.state).toBe(finished.accepted ? JobState.DONE : JobState.CANCELLED);
      expect(job?.result?.id).toBe(finished.accepted ? outcome.value.blob.id : undefined);
      await expect.poll(() => bench.blobs.has(outcome.value.blob.id), { interval: 2 }).toBe(finished.accepted);
      await expect.poll(() => bench.blobs.has(input.id), { interval: 2 }).toBe(false);
      if (!finished.accepted) cancelWins += 1;
    }
    // Both orders must occur, or there was no race.
    expect(cancelWins).toBeGreaterThan(0);
    expect(cancelWins).toBeLessThan(200);
  });

  it("deletes everything that belongs to a deleted job", async () => {
    const { jobId, input } = await createClaimed(bench);
    const outcome = await result();
    await bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome });
    await bench.jobs.deleteJob(mine(jobId));
    expect([await bench.blobs.has(input.id), await bench.blobs.has(outcome.value.blob.id)]).toEqual([false, false]);
    expect((await failureOf(bench.jobs.getJob(mine(jobId))))?.code).toBe("JOB_NOT_FOUND");
    expect((await failureOf(bench.jobs.deleteJob(mine(jobId))))?.code).toBe("JOB_NOT_FOUND");
    expect((await bench.jobs.listJobs({ accountId: "acc", limit: 100 })).jobs.map(({ id }) => id)).not.toContain(jobId);
  });

  it("ends the watch of a job that is deleted", async () => {
    const { jobId } = await createClaimed(bench);
    const states: JobState[] = [];
    const watching = (async () => {
      for await (const { job } of bench.jobs.watchJob(mine(jobId))) if (job !== undefined) states.push(job.state);
    })();
    await expect.poll(() => states).toHaveLength(1);
    await bench.jobs.deleteJob(mine(jobId));
    await watching;
    expect(states).toEqual([JobState.RUNNING, JobState.CANCELLED]);
  });
});

describe("an account's view", () => {
  it("does not include another account's jobs", async () => {
    const { job } = await bench.jobs.createJob(await bench.request({ accountId: "owner" }));
    const theirs = { accountId: "thief", jobId: job?.id ?? "" };
    const calls = [bench.jobs.getJob(theirs), bench.jobs.cancelJob(theirs), bench.jobs.deleteJob(theirs)];
    expect(await Promise.all(calls.map(async (call) => (await failureOf(call))?.code))).toEqual(Array(3).fill("JOB_NOT_FOUND"));
    expect((await failureOf(bench.jobs.watchJob(theirs)[Symbol.asyncIterator]().next()))?.code).toBe("JOB_NOT_FOUND");
    for (const jobId of ["", "*", ">", "../x", "x.y"]) {
      expect((await failureOf(bench.jobs.getJob({ accountId: "owner", jobId })))?.code).toBe("JOB_NOT_FOUND");
    }
    expect((await bench.jobs.getJob({ ...theirs, accountId: "owner" })).job?.state).toBe(JobState.QUEUED);
  });

  it("is paged, newest first", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      const { job } = await bench.jobs.createJob(await bench.request({ accountId: "pager" }));
      ids.unshift(job?.id ?? "");
    }
    const first = await bench.jobs.listJobs({ accountId: "pager", limit: 3 });
    const second = await bench.jobs.listJobs({ accountId: "pager", limit: 3, cursor: first.nextCursor });
    const third = await bench.jobs.listJobs({ accountId: "pager", limit: 3, cursor: second.nextCursor });
    expect([first, second, third].map(({ jobs }) => jobs.map(({ id }) => id))).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
    expect(third.nextCursor).toBe("");
    expect((await bench.jobs.listJobs({ accountId: "pager", state: JobState.DONE })).jobs).toEqual([]);
  });

  it("shows each queued job its position, which moves up as others leave", async () => {
    const create = async () => (await bench.jobs.createJob(await bench.request({ accountId: "line", to: "mp4" }))).job?.id ?? "";
    const [first, second, third] = [await create(), await create(), await create()];
    const place = async (jobId: string) => (await bench.jobs.getJob({ accountId: "line", jobId })).job?.queuePosition;
    expect([await place(first), await place(second), await place(third)]).toEqual([1, 2, 3]);
    await bench.leases.claimAttempt({ jobId: first, worker: "w1", leaseMs: 30_000 });
    await bench.jobs.cancelJob({ accountId: "line", jobId: second });
    expect([await place(first), await place(second), await place(third)]).toEqual([0, undefined, 1]);
    expect(await bench.jobs.getLoad({ accountId: "line" })).toMatchObject({ accountUnfinished: 2, maxUnfinished: 1000 });
  });
});

it("counts jobs, durations and queue waits in the metrics", async () => {
  const text = await bench.metrics.metrics();
  expect(text).toMatch(/filemill_jobs_total\{state="done",lane="image"\} [1-9]/);
  expect(text).toMatch(/filemill_job_duration_seconds_count\{lane="image"\} [1-9]/);
  expect(text).toMatch(/filemill_job_queue_wait_seconds_count\{lane="image"\} [1-9]/);
  expect(text).toMatch(/filemill_jobs_unfinished\{lane="media",state="running"\} 1/);
  expect(bench.service.readiness()).toEqual({ ready: true });
});
