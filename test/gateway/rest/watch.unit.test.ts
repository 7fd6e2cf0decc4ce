import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { expect, test, vi } from "vitest";
import { waitForEnd } from "#gateway/rest/watch.ts";
import { JobSchema, JobService, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { openLog } from "#kit/log.ts";
import { localTransport } from "#kit/rpc/local-transport.ts";
import { eventually } from "#test/harness/eventually.ts";

const log = openLog("silent");
const queued = create(JobSchema, { id: "01", accountId: "a", state: JobState.QUEUED });

test("waitForEnd closes the watch when the job has ended", async () => {
  const closed = vi.fn();
  const transport = localTransport(
    (router) =>
      router.service(JobService, {
        async *watchJob() {
          try {
            yield { job: queued };
            yield { job: { ...queued, state: JobState.DONE } };
          } finally {
            closed();
          }
        },
      }),
    log,
  );
  const jobs = createClient(JobService, transport);
  const job = await waitForEnd({ jobs, log }, queued, 10_000, new AbortController().signal);
  expect(job.state).toBe(JobState.DONE);
  await eventually(() => expect(closed).toHaveBeenCalledOnce());
});

test("waitForEnd closes the watch on timeout and resolves with the latest state", async () => {
  const closed = vi.fn();
  const transport = localTransport(
    (router) =>
      router.service(JobService, {
        async *watchJob(_request, { signal }) {
          try {
            yield { job: { ...queued, state: JobState.RUNNING } };
            await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
          } finally {
            closed();
          }
        },
      }),
    log,
  );
  const jobs = createClient(JobService, transport);
  const job = await waitForEnd({ jobs, log }, queued, 500, new AbortController().signal);
  expect(job.state).toBe(JobState.RUNNING);
  await eventually(() => expect(closed).toHaveBeenCalledOnce());
});
