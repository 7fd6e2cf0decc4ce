import { setTimeout as sleep } from "node:timers/promises";
import { Webhook as Verifier } from "standardwebhooks";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { type JobRecord, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { DeliveryState, EventType, WebhookState } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import type { Bucket } from "#kit/nats/ports.ts";
import { openTestBroker } from "#test/harness/broker.ts";
import { opened } from "#test/harness/opened.ts";
import { codeOfFailure } from "#test/services/account/account-harness.ts";
import { endedJob, openJobBucket, openReceiver, openWebhooks, type Webhooks } from "./webhook-harness.ts";

const shared = opened(openTestBroker);
let jobs: Bucket<JobRecord>;
beforeAll(async () => {
  jobs = await openJobBucket(shared);
});

let accounts = 0;
const newAccount = (): string => `acc_${++accounts}`;

async function end(accountId: string, state: JobState = JobState.DONE): Promise<string> {
  const record = endedJob(accountId, state);
  const id = record.job?.id ?? "";
  await jobs.create(id, record);
  return id;
}

async function settledDelivery(webhooks: Webhooks, accountId: string, webhookId: string) {
  return expect
    .poll(async () => (await webhooks.listDeliveries({ accountId, webhookId })).deliveries[0]?.state)
    .toSatisfy((state) => state === DeliveryState.DELIVERED || state === DeliveryState.FAILED)
    .then(async () => (await webhooks.listDeliveries({ accountId, webhookId })).deliveries[0]);
}

describe("a finished job", () => {
  test("is sent signed per Standard Webhooks, with the job as in the REST API", async () => {
    await using webhooks = await openWebhooks(shared);
    await using receiver = await openReceiver(() => 204);
    const accountId = newAccount();
    const { webhook, secret } = await webhooks.createWebhook({ accountId, url: receiver.url, apiUrl: "https://files.example.org/api/v1" });
    const jobId = await end(accountId);
    await expect.poll(() => receiver.received.length).toBe(1);
    const [message] = receiver.received;
    const headers = Object.fromEntries(Object.entries(message?.headers ?? {}).map(([name, value]) => [name, String(value)]));
    expect(new Verifier(secret).verify(message?.body ?? "", headers)).toMatchObject({
      type: "job.done",
      data: { job: { id: jobId, status: "done", download: `https://files.example.org/api/v1/jobs/${jobId}/download` } },
    });
    expect(await settledDelivery(webhooks, accountId, webhook?.id ?? "")).toMatchObject({
      state: DeliveryState.DELIVERED,
      attempts: 1,
      lastStatus: 204,
    });
  });

  test("is sent only to webhooks of its account that subscribe to the event", async () => {
    await using webhooks = await openWebhooks(shared);
    await using receiver = await openReceiver(() => 200);
    const [accountId, other] = [newAccount(), newAccount()];
    await webhooks.createWebhook({ accountId, url: `${receiver.url}/failed`, events: [EventType.JOB_FAILED] });
    await webhooks.createWebhook({ accountId, url: `${receiver.url}/all` });
    await webhooks.createWebhook({ accountId: other, url: `${receiver.url}/other` });
    await end(accountId, JobState.DONE);
    await end(accountId, JobState.FAILED);
    await end(accountId, JobState.CANCELLED);
    await expect.poll(() => receiver.received.length).toBe(3);
    await sleep(200);
    const told = receiver.received.map(({ path, body }) => `${path} ${JSON.parse(body).type}`).sort();
    expect(told).toEqual(["/hook/all job.done", "/hook/all job.failed", "/hook/failed job.failed"]);
  });

  test("is not sent if it finished before the webhook was created", async () => {
    await using webhooks = await openWebhooks(shared);
    await using receiver = await openReceiver(() => 200);
    const accountId = newAccount();
    await end(accountId);
    await sleep(5);
    const { webhook } = await webhooks.createWebhook({ accountId, url: receiver.url });
    const last = await end(accountId);
    await expect.poll(() => receiver.received.length).toBe(1);
    expect(JSON.parse(receiver.received[0]?.body ?? "").data.job.id).toBe(last);
    expect((await webhooks.listDeliveries({ accountId, webhookId: webhook?.id ?? "" })).deliveries).toHaveLength(1);
  });

  test("is sent after the clock was set back, unlike an older job that expires then", async () => {
    await using webhooks = await openWebhooks(shared);
    await using receiver = await openReceiver(() => 200);
    const accountId = newAccount();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    const before = endedJob(accountId, JobState.DONE, Date.now() - 1000);
    await jobs.create(before.job?.id ?? "", before);
    await webhooks.createWebhook({ accountId, url: receiver.url });
    vi.useRealTimers();
    const entry = await jobs.get(before.job?.id ?? "");
    if (entry?.value.job === undefined) throw new Error("the job is gone");
    await jobs.update(entry.key, { ...entry.value, job: { ...entry.value.job, state: JobState.EXPIRED } }, entry.revision);
    const after = await end(accountId);
    await expect.poll(() => receiver.received.length).toBe(1);
    await sleep(200);
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.job.id)).toEqual([after]);
  });

  test("is sent at the next start if it finished while no webhook service was running", async () => {
    const accountId = newAccount();
    await using receiver = await openReceiver(() => 200);
    {
      await using webhooks = await openWebhooks(shared);
      await webhooks.createWebhook({ accountId, url: receiver.url });
    }
    const jobId = await end(accountId);
    await using _later = await openWebhooks(shared);
    await expect.poll(() => receiver.received.length).toBe(1);
    expect(JSON.parse(receiver.received[0]?.body ?? "").data.job.id).toBe(jobId);
  });
});

describe("a receiver", () => {
  test("that fails is retried with the same id, by the next process too", async () => {
    const accountId = newAccount();
    await using receiver = await openReceiver((_, count) => (count < 3 ? 500 : 200));
    let webhookId: string;
    {
      // Long enough for the first process to end before it retries, even on a busy machine.
      await using first = await openWebhooks(shared, { WEBHOOK_RETRY_SECONDS: "6,0,0" });
      webhookId = (await first.createWebhook({ accountId, url: receiver.url })).webhook?.id ?? "";
      await end(accountId);
      await expect.poll(() => receiver.received.length).toBe(1);
      await expect.poll(async () => (await first.listDeliveries({ accountId, webhookId })).deliveries[0]?.attempts).toBe(1);
    }
    await using second = await openWebhooks(shared, { WEBHOOK_RETRY_SECONDS: "6,0,0" });
    expect(await settledDelivery(second, accountId, webhookId)).toMatchObject({ state: DeliveryState.DELIVERED, attempts: 3 });
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  test("that never accepts a message fails after the last retry and can be retried by a replay", async () => {
    const accountId = newAccount();
    let well = false;
    await using webhooks = await openWebhooks(shared);
    await using receiver = await openReceiver(() => (well ? 200 : 302));
    const webhookId = (await webhooks.createWebhook({ accountId, url: receiver.url })).webhook?.id ?? "";
    await end(accountId);
    const failed = await settledDelivery(webhooks, accountId, webhookId);
    expect(failed).toMatchObject({ state: DeliveryState.FAILED, attempts: 4, lastStatus: 302 });
    expect(receiver.received.every(({ path }) => path === "/hook")).toBe(true);
    well = true;
    await webhooks.replayDelivery({ accountId, webhookId, deliveryId: failed?.id ?? "" });
    await expect.poll(() => receiver.received.length).toBe(5);
    expect(await settledDelivery(webhooks, accountId, webhookId)).toMatchObject({ state: DeliveryState.DELIVERED, id: failed?.id });
  });

  test("that answers 410 disables the webhook until it is enabled again", async () => {
    const accountId = newAccount();
    await using webhooks = await openWebhooks(shared);
    await using receiver = await openReceiver((_, count) => (count === 1 ? 410 : 200));
    await using other = await openReceiver(() => 200);
    const webhookId = (await webhooks.createWebhook({ accountId, url: receiver.url })).webhook?.id ?? "";
    await webhooks.createWebhook({ accountId, url: other.url });
    await end(accountId);
    const stateOf = async () => (await webhooks.listWebhooks({ accountId })).webhooks.find(({ id }) => id === webhookId)?.state;
    await expect.poll(stateOf).toBe(WebhookState.GONE);
    await end(accountId);
    // Both are handled together: by now the disabled one was skipped.
    await expect.poll(() => other.received.length).toBe(2);
    expect(receiver.received).toHaveLength(1);
    await webhooks.updateWebhook({ accountId, webhookId, enabled: true });
    await end(accountId);
    await expect.poll(() => receiver.received.length).toBe(2);
  });

  test("that does not respond delays no others", async () => {
    const accountId = newAccount();
    await using webhooks = await openWebhooks(shared);
    await using slow = await openReceiver(() => "never");
    await using quick = await openReceiver(() => 200);
    await webhooks.createWebhook({ accountId, url: slow.url });
    for (let count = 0; count < 40; count++) await end(accountId);
    await expect.poll(() => slow.received.length).toBe(4);
    await webhooks.createWebhook({ accountId, url: quick.url });
    await end(accountId);
    await expect.poll(() => quick.received.length).toBe(1);
    expect(slow.received).toHaveLength(4);
  });

  test("in a private network is not called unless the operator allows it", async () => {
    const accountId = newAccount();
    await using webhooks = await openWebhooks(shared, { WEBHOOK_PRIVATE_ADDRESSES: "refused" });
    expect(await codeOfFailure(webhooks.createWebhook({ accountId, url: "https://127.0.0.1/" }))).toBe("BAD_REQUEST");
    const webhookId = (await webhooks.createWebhook({ accountId, url: "https://localhost/" })).webhook?.id ?? "";
    await end(accountId);
    const delivery = await settledDelivery(webhooks, accountId, webhookId);
    expect(delivery).toMatchObject({ state: DeliveryState.FAILED, lastError: "the address is not public" });
  });
});

describe("an owner", () => {
  test("can change its own webhooks and see no others", async () => {
    await using webhooks = await openWebhooks(shared);
    const [accountId, other] = [newAccount(), newAccount()];
    const created = await webhooks.createWebhook({ accountId, url: "https://example.org/a", description: "CRM" });
    const webhookId = created.webhook?.id ?? "";
    const changed = await webhooks.updateWebhook({ accountId, webhookId, url: "https://example.org/b", events: [EventType.JOB_FAILED] });
    expect(changed).toMatchObject({
      secret: "",
      webhook: { url: "https://example.org/b", events: [EventType.JOB_FAILED], description: "CRM" },
    });
    for (const call of [
      webhooks.updateWebhook({ accountId: other, webhookId, enabled: false }),
      webhooks.deleteWebhook({ accountId: other, webhookId }),
      webhooks.listDeliveries({ accountId: other, webhookId }),
      webhooks.replayDelivery({ accountId: other, webhookId, deliveryId: "msg_1" }),
    ])
      expect(await codeOfFailure(call)).toBe("WEBHOOK_NOT_FOUND");
    expect((await webhooks.listWebhooks({ accountId: other })).webhooks).toEqual([]);
    await webhooks.deleteWebhook({ accountId, webhookId });
    expect((await webhooks.listWebhooks({ accountId })).webhooks).toEqual([]);
  });

  test("has two valid secrets for a day after a rotation", async () => {
    await using webhooks = await openWebhooks(shared);
    await using receiver = await openReceiver(() => 200);
    const accountId = newAccount();
    const { webhook, secret: old } = await webhooks.createWebhook({ accountId, url: receiver.url });
    const { secret } = await webhooks.updateWebhook({ accountId, webhookId: webhook?.id ?? "", rotateSecret: true });
    expect(secret).not.toBe(old);
    await end(accountId);
    await expect.poll(() => receiver.received.length).toBe(1);
    const [message] = receiver.received;
    const headers = Object.fromEntries(Object.entries(message?.headers ?? {}).map(([name, value]) => [name, String(value)]));
    for (const each of [old, secret]) expect(() => new Verifier(each).verify(message?.body ?? "", headers)).not.toThrow();
    const stranger = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    expect(() => new Verifier(stranger).verify(message?.body ?? "", headers)).toThrow();
  });

  test("can have at most 20 webhooks, all deleted with the account", async () => {
    await using webhooks = await openWebhooks(shared);
    const accountId = newAccount();
    for (let count = 0; count < 20; count++) await webhooks.createWebhook({ accountId, url: "https://example.org/" });
    expect(await codeOfFailure(webhooks.createWebhook({ accountId, url: "https://example.org/" }))).toBe("BAD_REQUEST");
    await webhooks.deleteAccountWebhooks({ accountId });
    expect((await webhooks.listWebhooks({ accountId })).webhooks).toEqual([]);
  });
});
