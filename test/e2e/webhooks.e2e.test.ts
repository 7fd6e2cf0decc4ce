/** The ends of jobs, reported to the account's own server; and one event log for everyone who follows a job. */
import sharp from "sharp";
import { Webhook as Verifier } from "standardwebhooks";
import { expect, test } from "vitest";
import { runCli } from "#test/harness/cli.ts";
import { opened } from "#test/harness/opened.ts";
import { startServer, withoutOffice } from "#test/harness/server.ts";
import { openReceiver } from "#test/services/webhook/webhook-harness.ts";

const server = opened(() =>
  startServer({ ...withoutOffice, WEBHOOK_PRIVATE_ADDRESSES: "allowed", WEBHOOK_PORTS: "1-65535", WEBHOOK_RETRY_SECONDS: "1" }),
);
const receiver = opened(() => openReceiver(() => answer));
let answer = 200;

type Json = Record<string, unknown>;

async function call(
  method: string,
  path: string,
  body?: Json,
  key = server.key,
): Promise<{ status: number; body: Record<string, Json & Json[]> & { secret: string } }> {
  const headers = { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  const response = await fetch(server.url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

async function convert(bytes: Uint8Array<ArrayBuffer>, name: string, to: string) {
  const form = new FormData();
  form.set("to", to);
  form.set("file", new File([bytes], name));
  const response = await fetch(`${server.url}/api/v1/convert`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.key}` },
    body: form,
  });
  const { job }: { job: { id: string } } = JSON.parse(await response.text());
  return job;
}

async function picture(): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(
    await sharp({ create: { width: 9, height: 9, channels: 3, background: "teal" } })
      .png()
      .toBuffer(),
  );
}

const headersOf = (index: number) =>
  Object.fromEntries(Object.entries(receiver.received[index]?.headers ?? {}).map(([name, value]) => [name, String(value)]));

test("sends signed messages for done and failed jobs, as GET shows them, and lists the deliveries", async () => {
  const made = await call("POST", "/api/v1/webhooks", { url: receiver.url, description: "orders" });
  expect(made).toMatchObject({ status: 201, body: { webhook: { state: "enabled", events: ["job.done", "job.failed"] } } });
  const { secret } = made.body;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);

  const done = await convert(await picture(), "a.png", "webp");
  await expect.poll(() => receiver.received.length).toBe(1);
  const message = new Verifier(secret).verify(receiver.received[0]?.body ?? "", headersOf(0)) as { data: { job: Json } };
  const { job: shown } = (await call("GET", `/api/v1/jobs/${done.id}`)).body;
  expect(message).toMatchObject({ type: "job.done", data: { job: shown } });

  const failed = await convert(new Uint8Array(Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "latin1")), "b.png", "webp");
  await expect.poll(() => receiver.received.length).toBe(2);
  expect(new Verifier(secret).verify(receiver.received[1]?.body ?? "", headersOf(1))).toMatchObject({
    type: "job.failed",
    data: { job: { id: failed.id, status: "failed", error: { code: "INVALID_INPUT" } } },
  });
  const id = String(made.body.webhook?.id);
  const deliveries = async () => (await call("GET", `/api/v1/webhooks/${id}/deliveries`)).body.deliveries ?? [];
  await expect.poll(deliveries).toMatchObject([
    { event: "job.failed", state: "delivered", attempts: 1, lastStatus: 200 },
    { event: "job.done", state: "delivered", nextAttemptAt: null },
  ]);
  const [last] = await deliveries();
  expect((await call("POST", `/api/v1/webhooks/${id}/deliveries/${last?.id}/replay`)).status).toBe(202);
  await expect.poll(() => receiver.received.length).toBe(3);
  expect(headersOf(2)["webhook-id"]).toBe(headersOf(1)["webhook-id"]);
  expect((await call("DELETE", `/api/v1/webhooks/${id}`)).status).toBe(204);
});

test("a receiver that answers 410 is not called again until its webhook is enabled", async () => {
  receiver.received.length = 0;
  const made = await call("POST", "/api/v1/webhooks", { url: receiver.url, events: ["job.done"] });
  const path = `/api/v1/webhooks/${made.body.webhook?.id}`;
  answer = 410;
  await convert(await picture(), "a.png", "webp");
  await expect.poll(async () => (await call("GET", "/api/v1/webhooks")).body.webhooks?.[0]?.state).toBe("gone");
  answer = 200;
  expect((await call("PATCH", path, { enabled: true })).body).toMatchObject({ webhook: { state: "enabled" }, secret: null });
  await convert(await picture(), "a.png", "webp");
  await expect.poll(() => receiver.received.length).toBe(2);
  expect((await call("PATCH", path, { rotateSecret: true })).body.secret).toMatch(/^whsec_/);
  await call("DELETE", path);
});

test.each([
  [{ url: "not an address" }, "url"],
  [{ url: "ftp://example.org/" }, "url"],
  [{ url: "https://u:p@example.org/" }, "url"],
])("rejects an invalid receiver URL: %j", async (body, field) => {
  expect(await call("POST", "/api/v1/webhooks", body)).toMatchObject({
    status: 400,
    body: { error: { code: "BAD_REQUEST", details: { field } } },
  });
});

test.each([[{}], [{ url: "https://example.org/", events: ["job.started"] }], [{ url: "https://example.org/", more: 1 }]])(
  "rejects an invalid body: %j",
  async (body) => {
    expect(await call("POST", "/api/v1/webhooks", body)).toMatchObject({ status: 400, body: { error: { code: "BAD_REQUEST" } } });
  },
);

test("an account's webhooks are hidden from others and deleted with it", async () => {
  await runCli(server, ["accounts", "create", "hooks@example.org", "--plan", "plus"]);
  const key = (await runCli(server, ["keys", "create", "hooks@example.org"])).trim();
  const made = await call("POST", "/api/v1/webhooks", { url: receiver.url }, key);
  const path = `/api/v1/webhooks/${made.body.webhook?.id}`;
  for (const [method, at] of [
    ["PATCH", path],
    ["DELETE", path],
    ["GET", `${path}/deliveries`],
  ] as const) {
    expect(await call(method, at, method === "PATCH" ? {} : undefined)).toMatchObject({
      status: 404,
      body: { error: { code: "WEBHOOK_NOT_FOUND" } },
    });
  }
  await runCli(server, ["accounts", "delete", "hooks@example.org"]);
  receiver.received.length = 0;
  await convert(await picture(), "a.png", "webp");
  expect(receiver.received).toHaveLength(0);
});

test("a reconnecting event stream sends only newer events, or 204 if there are none", async () => {
  const job = await convert(await picture(), "a.png", "webp");
  const events = (headers: Record<string, string> = {}) =>
    fetch(`${server.url}/api/v1/jobs/${job.id}/events`, { headers: { authorization: `Bearer ${server.key}`, ...headers } });
  const whole = await (await events()).text();
  const last = /^id: (\d+)$/m.exec(whole)?.[1] ?? "";
  expect(Number(last)).toBeGreaterThan(1);
  const resumed = await (await events({ "last-event-id": "1" })).text();
  expect(resumed).toContain(`id: ${last}\n`);
  const seen = await events({ "last-event-id": last });
  expect(seen.status).toBe(204);
});
