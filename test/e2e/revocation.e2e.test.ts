/** Revoked access ends at every gateway, even if an answer has already started. */
import { randomFillSync } from "node:crypto";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BrowserClient, openBrowserClient } from "#test/harness/browser-client.ts";
import { call, type Job, jobIn, post } from "#test/harness/rest.ts";
import { startSecondGateway, startServer, type TestServer, withoutOffice } from "#test/harness/server.ts";

let server: TestServer;
let gateway: TestServer;
let browser: BrowserClient;
/** Waits behind another job that takes minutes. */
let job: Job;

beforeAll(async () => {
  server = await startServer({ ...withoutOffice, IMAGE_SLOTS: "1" });
  gateway = await startSecondGateway(server);
  browser = openBrowserClient(server.url);
  const token = server.signInLink?.split("#link=")[1];
  expect((await browser.ask("POST", "/web/v1/sign-in/link", { token })).status).toBe(200);
  const noise = randomFillSync(Buffer.alloc(4000 * 4000 * 3));
  const file = new Uint8Array(
    await sharp(noise, { raw: { width: 4000, height: 4000, channels: 3 } })
      .jpeg()
      .toBuffer(),
  );
  const upload = { to: "avif", file, name: "noise.jpg", query: "?effort=9", headers: { prefer: "respond-async" } };
  await post(server, upload);
  ({ job } = JSON.parse(await (await post(server, upload)).text()));
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const stillWaits = async (): Promise<void> => expect((await jobIn(server, job.id)).status).toMatch(/^(queued|running)$/);
const codeOf = async (answer: Response): Promise<string> => JSON.parse(await answer.text()).error?.code ?? "none";

test("revoking a key ends its event streams and waiting requests at every gateway", async () => {
  const { key, secret } = (await browser.ask("POST", "/web/v1/keys", { name: "to be revoked" })).json;
  const events = await Promise.all([server, gateway].map((one) => call(one, `/api/v1/jobs/${job.id}/events`, { key: secret })));
  expect(events.map(({ status }) => status)).toEqual([200, 200]);
  const held = [server, gateway].map((one) => call(one, `/api/v1/jobs/${job.id}`, { key: secret, headers: { prefer: "wait=60" } }));
  expect((await browser.ask("DELETE", `/web/v1/keys/${key.id}`)).status).toBe(204);
  for (const stream of events) expect(await stream.text()).toContain("event: job");
  for (const answer of await Promise.all(held)) expect(await codeOf(answer)).toBe("API_KEY_REVOKED");
  await stillWaits();
  for (const one of [server, gateway]) expect(await codeOf(await call(one, "/api/v1/jobs", { key: secret }))).toBe("API_KEY_REVOKED");
});

test("signing out ends the page's event streams at every gateway", async () => {
  const cookie = `filemill_session=${browser.cookies.get("filemill_session")}`;
  const follow = (one: TestServer) => fetch(`${one.url}/web/v1/jobs/${job.id}/events`, { headers: { cookie } });
  const events = await Promise.all([server, gateway].map(follow));
  expect(events.map(({ status }) => status)).toEqual([200, 200]);
  expect((await browser.ask("POST", "/web/v1/sign-out")).status).toBe(204);
  for (const stream of events) expect(await stream.text()).toContain("event: job");
  await stillWaits();
  expect(await codeOf(await follow(gateway))).toBe("SIGN_IN_REQUIRED");
});
