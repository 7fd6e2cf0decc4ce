import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { CreateJobRequestSchema, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { openIdempotencyKeys } from "#services/job/adapters/idempotency-keys.ts";
import { digestOf, entryKeyOf } from "#services/job/domain/idempotency.ts";
import { createJobIds } from "#services/job/domain/job-id.ts";
import { opened } from "#test/harness/opened.ts";
import { failureOf, hour, openJobBench } from "./job-harness.ts";

const bench = opened(() => openJobBench({ settings: { MAX_UNFINISHED_JOBS: 200 } }));

const jobsOf = async (accountId: string) => (await bench.jobs.listJobs({ accountId, limit: 100 })).jobs;

describe("an idempotency key", () => {
  it("creates one job for 20 concurrent requests, each with its own blob", async () => {
    const asks = await Promise.all(
      Array.from({ length: 20 }, () => bench.request({ accountId: "twenty", idempotencyKey: "k", planMaxUnfinishedJobs: 1 })),
    );
    const answers = await Promise.all(asks.map((ask) => bench.jobs.createJob(ask)));
    expect(new Set(answers.map(({ job }) => job?.id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await jobsOf("twenty")).toHaveLength(1);
    // The job's input is the blob of the request that created it: the others remove theirs.
    const made = answers.findIndex(({ replayed }) => !replayed);
    expect(answers.map(({ job }) => job?.input?.id)).toEqual(Array(20).fill(asks[made]?.input?.id));
  });

  it("creates one job for requests to two processes", async () => {
    await using peer = await bench.peer();
    const asks = await Promise.all(Array.from({ length: 20 }, () => bench.request({ accountId: "split", idempotencyKey: "k" })));
    const answers = await Promise.all(asks.map((ask, index) => (index % 2 === 0 ? bench : peer).jobs.createJob(ask)));
    expect(new Set(answers.map(({ job }) => job?.id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it("returns the first job later, even when the account is at its limit", async () => {
    const ask = await bench.request({ accountId: "later", idempotencyKey: "k", planMaxUnfinishedJobs: 1 });
    const first = await bench.jobs.createJob(ask);
    const again = await bench.jobs.createJob({ ...ask, input: { ...(await bench.blob()) } });
    expect(again).toMatchObject({ replayed: true, job: { id: first.job?.id } });
  });

  it("is rejected with a different request but usable by another account", async () => {
    await bench.jobs.createJob(await bench.request({ accountId: "reuse", idempotencyKey: "k" }));
    const others = [
      bench.request({ to: "pdf" }),
      bench.request({ options: { quality: "80" } }),
      bench.request({ input: await bench.blob("another") }),
      bench.request({ requestDigest: "wait" }),
    ];
    for (const other of await Promise.all(others)) {
      const call = bench.jobs.createJob({ ...other, accountId: "reuse", idempotencyKey: "k" });
      expect((await failureOf(call))?.code).toBe("IDEMPOTENCY_KEY_REUSED");
    }
    const elsewhere = await bench.jobs.createJob(await bench.request({ accountId: "reuse2", idempotencyKey: "k", to: "pdf" }));
    expect(elsewhere.replayed).toBe(false);
  });

  it("is not used up by a rejected request", async () => {
    const refused = await bench.request({ accountId: "refused", idempotencyKey: "k", to: "nonsense" });
    expect((await failureOf(bench.jobs.createJob(refused)))?.code).toBe("UNSUPPORTED_TARGET");
    const right = await bench.jobs.createJob(await bench.request({ accountId: "refused", idempotencyKey: "k" }));
    expect(right.replayed).toBe(false);
  });

  it("is not blocked by a process that died between key and job", async () => {
    const ask = await bench.request({ accountId: "crashed", idempotencyKey: "k" });
    const keys = await openIdempotencyKeys(bench.broker);
    const jobId = createJobIds()(Date.now());
    const requestDigest = digestOf(create(CreateJobRequestSchema, ask));
    await keys.put(entryKeyOf("crashed", "k"), { jobId, requestDigest, createdAtMs: Date.now() }, undefined);
    const answer = await bench.jobs.createJob(ask);
    expect(answer).toMatchObject({ replayed: false, job: { id: jobId } });
    expect((await bench.jobs.createJob(ask)).replayed).toBe(true);
  });

  it("is free again after 24 hours, and once its job is deleted", async () => {
    const ask = await bench.request({ accountId: "daily", idempotencyKey: "k" });
    const first = await bench.jobs.createJob(ask);
    await bench.jobs.deleteJob({ accountId: "daily", jobId: first.job?.id ?? "" });
    const second = await bench.jobs.createJob({ ...ask, input: await bench.blob() });
    expect(second.replayed).toBe(false);
    expect(second.job?.id).not.toBe(first.job?.id);
    bench.clock.advance(24 * hour);
    expect((await bench.jobs.createJob({ ...ask, input: await bench.blob() })).replayed).toBe(false);
  });
});

describe("limits", () => {
  it("enforce the job quota for concurrent requests and free a place when a job ends", async () => {
    const asks = await Promise.all(Array.from({ length: 20 }, () => bench.request({ accountId: "quota", planMaxUnfinishedJobs: 5 })));
    const outcomes = await Promise.all(asks.map((ask) => failureOf(bench.jobs.createJob(ask))));
    const refused = outcomes.filter((failure) => failure !== undefined);
    expect(refused).toHaveLength(15);
    expect(refused.map(({ code, details }) => [code, details])).toEqual(Array(15).fill(["TOO_MANY_JOBS", { limit: 5 }]));
    expect(refused[0]?.retryAfterMs).toBeGreaterThan(0);
    const [job] = await jobsOf("quota");
    await bench.jobs.cancelJob({ accountId: "quota", jobId: job?.id ?? "" });
    expect((await bench.jobs.createJob(await bench.request({ accountId: "quota", planMaxUnfinishedJobs: 5 }))).job?.state).toBe(
      JobState.QUEUED,
    );
  });

  it("enforce the input size of the conversion and of the plan", async () => {
    const input = { ...(await bench.blob()), sizeBytes: 1_500_000n };
    const over = await failureOf(bench.jobs.createJob(await bench.request({ input, planMaxInputMb: 1 })));
    expect([over?.code, over?.details]).toEqual(["INPUT_TOO_LARGE", { limitMb: 1, limitedBy: "plan" }]);
    const large = await bench.request({ input: { ...input, sizeBytes: 2_000_001n }, planMaxInputMb: 9 });
    expect((await failureOf(bench.jobs.createJob(large)))?.details).toEqual({ limitMb: 2, limitedBy: "conversion" });
  });

  it("reject every job while too many are unfinished", async () => {
    const failures = await Promise.all(
      Array.from({ length: 210 }, async () => failureOf(bench.jobs.createJob(await bench.request({ accountId: "flood" })))),
    );
    const codes = failures.flatMap((failure) => (failure === undefined ? [] : [failure.code]));
    expect(codes.length).toBeGreaterThanOrEqual(10);
    expect(new Set(codes)).toEqual(new Set(["OVERLOADED"]));
    const { totalUnfinished, maxUnfinished } = await bench.jobs.getLoad({ accountId: "flood" });
    expect([totalUnfinished, maxUnfinished]).toEqual([200, 200]);
  });
});
