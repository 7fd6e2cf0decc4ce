/** Results uploaded to pre-signed URLs: a real service, and a real server that answers like object stores. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer, withoutOffice } from "#test/harness/server.ts";

type Put = { readonly method: string; readonly url: string; readonly type: string; readonly length: string; readonly body: Buffer };

let server: TestServer;
let store: Server;
let base: string;
const puts: Put[] = [];
/** Answers of each path, in sequence; the last one repeats. */
const answers: Readonly<Record<string, readonly number[]>> = {
  "/taken": [200],
  "/over": [403],
  "/ill": [500, 200],
  "/away": [307],
  "/slow": [201],
};

beforeAll(async () => {
  server = await startServer({
    ...withoutOffice,
    ...{ URL_FETCH: "any", WEBHOOK_PRIVATE_ADDRESSES: "allowed", WEBHOOK_PORTS: "1-65535", WEBHOOK_RETRY_SECONDS: "1", LOG_LEVEL: "debug" },
  });
  const picture = await sharp({ create: { width: 9, height: 9, channels: 3, background: "teal" } })
    .png()
    .toBuffer();
  store = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(Buffer.from(piece));
    if (method === "GET") return response.end(url.startsWith("/bad") ? picture.subarray(0, 40) : picture);
    const [path = ""] = url.split("?");
    const length = String(headers["content-length"]);
    puts.push({ method, url, type: String(headers["content-type"]), length, body: Buffer.concat(pieces) });
    if (path === "/slow") await sleep(3000);
    const row = answers[path] ?? [404];
    const status = row[Math.min(puts.filter((put) => put.url === url).length, row.length) - 1] ?? 404;
    return response.writeHead(status, { location: `${base}/private` }).end();
  }).listen(0, "127.0.0.1");
  await once(store, "listening");
  base = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
});
afterAll(async () => {
  store.closeAllConnections();
  store.close();
  await server[Symbol.asyncDispose]();
});

const auth = () => ({ authorization: `Bearer ${server.key}` });

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds, and fails on what it does not.
async function order(body: object): Promise<any> {
  const headers = { ...auth(), "content-type": "application/json" };
  const answer = await fetch(`${server.url}/api/v1/convert-url`, { method: "POST", headers, body: JSON.stringify(body) });
  return JSON.parse(await answer.text());
}

async function deliveryOf(id: string): Promise<object | undefined> {
  const answer = await fetch(`${server.url}/api/v1/jobs/${id}`, { headers: auth() });
  return JSON.parse(await answer.text()).job.delivery;
}

const putsTo = (path: string): Put[] => puts.filter(({ url }) => url.startsWith(path));

test("uploads the whole result with its media type", async () => {
  const { job } = await order({ url: `${base}/a.png`, to: "webp", deliverTo: `${base}/taken?X-Amz-Signature=5ecre7` });
  expect(job).toMatchObject({ status: "done", delivery: { error: null } });
  await expect
    .poll(() => deliveryOf(job.id))
    .toEqual({ state: "delivered", attempts: 1, lastStatus: 200, nextAttemptAt: null, error: null });
  const [put] = putsTo("/taken");
  expect(put).toMatchObject({ method: "PUT", url: "/taken?X-Amz-Signature=5ecre7", type: "image/webp", length: String(job.bytes) });
  const result = await fetch(job.download, { headers: auth() });
  expect(put?.body.equals(Buffer.from(await result.arrayBuffer()))).toBe(true);
});

test("does not retry a refused upload, but retries after a server error", async () => {
  const over = await order({ url: `${base}/a.png`, to: "webp", deliverTo: `${base}/over` });
  const ill = await order({ url: `${base}/a.png`, to: "webp", deliverTo: `${base}/ill` });
  await expect
    .poll(() => deliveryOf(over.job.id))
    .toMatchObject({ state: "failed", attempts: 1, lastStatus: 403, error: { code: "DELIVERY_REFUSED" } });
  await expect.poll(() => deliveryOf(ill.job.id), { timeout: 10_000 }).toMatchObject({ state: "delivered", attempts: 2, lastStatus: 200 });
  expect(putsTo("/ill").map(({ body }) => body.length)).toEqual([ill.job.bytes, ill.job.bytes]);
});

test("does not follow redirects, and waits for a slow store", async () => {
  const away = await order({ url: `${base}/a.png`, to: "webp", deliverTo: `${base}/away` });
  const slow = await order({ url: `${base}/a.png`, to: "webp", deliverTo: `${base}/slow` });
  expect(slow.job.delivery).toMatchObject({ state: "pending" });
  await expect.poll(() => deliveryOf(away.job.id)).toMatchObject({ state: "failed", lastStatus: 307 });
  await expect.poll(() => deliveryOf(slow.job.id), { timeout: 15_000 }).toMatchObject({ state: "delivered", attempts: 1, lastStatus: 201 });
  expect(putsTo("/private")).toEqual([]);
});

test("a failed job has nothing to deliver and is not retried", async () => {
  const { error, job } = await order({ url: `${base}/bad.png`, to: "webp", deliverTo: `${base}/never` });
  expect(error.code).toBe("INVALID_INPUT");
  expect(job.delivery).toMatchObject({ state: "failed", attempts: 0, error: { code: "NOTHING_TO_DELIVER" } });
  expect(putsTo("/never")).toEqual([]);
});

test("an agent's upload ticket may set the URL, and an invalid one is rejected up front", async () => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers: auth() } }));
  const ticketFor = async (address: string) => {
    const { content } = await client.callTool({ name: "request_upload", arguments: { to: "jpg", deliver_to: address } });
    return String(content.flatMap((part) => (part.type === "text" ? [part.text] : []))[0]);
  };
  expect(await ticketFor("ftp://example.org/")).toMatch(/^BAD_REQUEST: deliverTo must be an https URL/);
  const { upload } = JSON.parse(await ticketFor(`${base}/taken?by=agent`));
  const body = await readFile("test/corpus/typical/image/typical.png");
  const sent: { job: { id: string } } = JSON.parse(await (await fetch(`${upload}a.png`, { method: "PUT", body })).text());
  await expect.poll(() => deliveryOf(sent.job.id)).toMatchObject({ state: "delivered" });
  expect(putsTo("/taken?by=agent")).toMatchObject([{ type: "image/jpeg" }]);
  await client.close();
});

test("the URL's contents never appear in the log", () => {
  expect(server.log()).toContain("webhook.result_sent");
  expect(server.log()).not.toMatch(/5ecre7|X-Amz|by=agent/);
});
