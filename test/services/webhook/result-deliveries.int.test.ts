/** Delivers results to URLs: the job service and the webhook service on one broker, and a real server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ResultDelivery_Failure as Failure, type Job, JobState, ResultDelivery_State as State } from "#gen/filemill/job/v1/job_pb.ts";
import { opened } from "#test/harness/opened.ts";
import { createClaimed, hour, openJobBench } from "#test/services/job/job-harness.ts";
import { openReceiver, openWebhooks, type Webhooks } from "./webhook-harness.ts";

const bench = opened(openJobBench);
let webhooks: Webhooks;
beforeAll(async () => {
  webhooks = await openWebhooks(bench.testBroker, { WEBHOOK_RETRY_SECONDS: "0,0" }, bench);
});
afterAll(async () => {
  await webhooks[Symbol.asyncDispose]();
});

async function jobTo(deliverTo: string): Promise<string> {
  return (await createClaimed(bench, "w1", { deliverTo })).jobId;
}

async function finish(jobId: string): Promise<void> {
  const outcome = { case: "result" as const, value: { blob: await bench.blob("the result"), notes: [] } };
  await bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome, durationMs: 12 });
}

const jobOf = async (jobId: string): Promise<Job | undefined> => (await bench.jobs.getJob({ accountId: "acc", jobId })).job;
const deliveryOf = async (jobId: string) => (await jobOf(jobId))?.delivery;

test("puts a result to its URL when the job is done, with its type and length", async () => {
  await using receiver = await openReceiver(() => 200);
  const jobId = await jobTo(`${receiver.url}?signature=secret`);
  expect(await deliveryOf(jobId)).toMatchObject({ state: State.PENDING, attempts: 0 });
  await finish(jobId);
  await expect.poll(() => deliveryOf(jobId)).toMatchObject({ state: State.DELIVERED, attempts: 1, lastStatus: 200 });
  expect(receiver.received).toMatchObject([{ path: "/hook?signature=secret", body: "the result", headers: { "content-length": "10" } }]);
  expect(receiver.received[0]?.headers["content-type"]).toMatch(/^\w+\/[\w.+-]+$/);
});

test.each([
  { answers: [403], attempts: 1, state: State.FAILED, failure: Failure.DELIVERY_REFUSED },
  { answers: [302], attempts: 1, state: State.FAILED, failure: Failure.DELIVERY_REFUSED },
  { answers: [500, 200], attempts: 2, state: State.DELIVERED, failure: Failure.UNSPECIFIED },
  { answers: [503, 429, 500], attempts: 3, state: State.FAILED, failure: Failure.DELIVERY_REFUSED },
])("makes $attempts attempts at a server that answers $answers", async ({ answers, attempts, state, failure }) => {
  await using receiver = await openReceiver((_, count) => answers[count - 1] ?? 418);
  const jobId = await jobTo(receiver.url);
  await finish(jobId);
  await expect.poll(() => deliveryOf(jobId)).toMatchObject({ state, attempts, failure, lastStatus: answers.at(-1) });
  expect(receiver.received).toHaveLength(attempts);
});

test("fails the delivery of a failed or cancelled job without sending anything", async () => {
  await using receiver = await openReceiver(() => 500);
  const failed = await jobTo(receiver.url);
  const outcome = { case: "failure" as const, value: { error: { code: "INVALID_INPUT", message: "bad" }, retryable: false } };
  await bench.leases.finishAttempt({ jobId: failed, attempt: 1, worker: "w1", outcome, durationMs: 1 });
  const cancelled = await jobTo(receiver.url);
  await bench.jobs.cancelJob({ accountId: "acc", jobId: cancelled });
  for (const jobId of [failed, cancelled])
    expect(await deliveryOf(jobId)).toMatchObject({ state: State.FAILED, attempts: 0, failure: Failure.NOTHING_TO_DELIVER });
  expect(receiver.received).toHaveLength(0);
});

test("rejects a disallowed URL up front, and does not call one stored under other rules", async () => {
  await using strict = await openWebhooks(bench.testBroker, { WEBHOOK_PRIVATE_ADDRESSES: "refused", WEBHOOK_PORTS: [] });
  await expect(strict.checkReceiver({ url: "https://127.0.0.1/x" })).rejects.toThrow("deliverTo must be a public address");
  await expect(strict.checkReceiver({ url: "http://example.org/" })).rejects.toThrow("deliverTo must be an https URL");
  await using receiver = await openReceiver(() => 200);
  const jobId = await jobTo(receiver.url.replace("http:", "gopher:"));
  await finish(jobId);
  await expect.poll(() => deliveryOf(jobId)).toMatchObject({ state: State.FAILED, failure: Failure.ADDRESS_NOT_ALLOWED });
  expect(receiver.received).toHaveLength(0);
});

test("retries an unreachable server as often as a webhook", async () => {
  const gone = await openReceiver(() => 200);
  await gone[Symbol.asyncDispose]();
  const jobId = await jobTo(gone.url);
  await finish(jobId);
  await expect.poll(() => deliveryOf(jobId)).toMatchObject({ state: State.FAILED, attempts: 3, failure: Failure.DELIVERY_UNREACHABLE });
});

test("makes one attempt at a time and takes over from a dead process when its claim expires", async () => {
  await webhooks[Symbol.asyncDispose]();
  await using receiver = await openReceiver(() => 200);
  const jobId = await jobTo(receiver.url);
  await finish(jobId);
  const claim = (attempt: number) => bench.jobs.claimDelivery({ jobId, attempt, claimMs: 1000 });
  expect((await claim(0)).claim).toMatchObject({ attempt: 1, deliverTo: receiver.url });
  expect((await claim(0)).claim).toBeUndefined();
  expect((await claim(1)).claim).toMatchObject({ attempt: 1 });
  webhooks = await openWebhooks(bench.testBroker, { WEBHOOK_RETRY_SECONDS: "0,0" }, bench);
  await expect.poll(() => deliveryOf(jobId), { timeout: 10_000 }).toMatchObject({ state: State.DELIVERED, attempts: 2 });
});

test("lets a result expire while its delivery waits for a retry", async () => {
  await using receiver = await openReceiver(() => 503);
  await using slow = await openJobBench();
  await using _webhooks = await openWebhooks(slow.testBroker, { WEBHOOK_RETRY_SECONDS: "3600,3600" }, slow);
  const { jobId } = await createClaimed(slow, "w1", { deliverTo: receiver.url });
  const outcome = { case: "result" as const, value: { blob: await slow.blob("x"), notes: [] } };
  await slow.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome, durationMs: 12 });
  const shown = async () => (await slow.jobs.getJob({ accountId: "acc", jobId })).job;
  await expect.poll(async () => (await shown())?.delivery).toMatchObject({ state: State.PENDING, attempts: 1, lastStatus: 503 });
  slow.clock.advance(2 * hour);
  expect((await shown())?.state).toBe(JobState.EXPIRED);
});
