import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ExtentSchema } from "#gen/filemill/common/v1/blob_pb.ts";
import { openJobBench } from "./job-harness.ts";

it("remembers conversion times across restarts and estimates by what the file contains", async () => {
  await using own = await openJobBench();
  const extent = create(ExtentSchema, { pixels: 1_000_000n });
  const { job } = await own.jobs.createJob(await own.request({ extent }));
  const jobId = job?.id ?? "";
  await own.leases.claimAttempt({ jobId, worker: "w1", leaseMs: 30_000 });
  const outcome = { case: "result" as const, value: { blob: await own.blob("result"), notes: [] } };
  await own.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome, durationMs: 30_000 });
  await own.service.drain(new AbortController().signal);
  await own.service[Symbol.asyncDispose]();

  await using later = await own.peer();
  expect((await later.jobs.getRouteTime({ from: "png", to: "webp" })).expectedMs).toBe(30_000);
  const next = await later.jobs.createJob(await own.request({ extent }));
  expect(next.job?.estimateMs).toBeGreaterThan(15_000);
  expect(next.job?.estimateMs).toBeLessThan(60_000);
});
