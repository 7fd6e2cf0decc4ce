/** People, their sessions and their keys, against the whole product and through HTTP alone. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowserClient } from "#test/harness/browser-client.ts";
import { runCli } from "#test/harness/cli.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";

/** The smallest PNG: one transparent pixel. */
const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64");

const password = "correct horse battery";
let server: TestServer;
let serial = 0;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const filemill = (...args: string[]) => runCli(server, args);

async function signedUp() {
  const email = `person${++serial}@example.org`;
  const browser = openBrowserClient(server.url);
  const answer = await browser.ask("POST", "/web/v1/sign-up", { email, password });
  expect(answer.status, answer.text).toBe(201);
  return { browser, email, account: answer.json.account };
}

function convertWith(key: string, path = "/api/v1/convert"): Promise<Response> {
  const form = new FormData();
  form.append("to", "webp");
  form.append("file", new File([png], "a.png"));
  return fetch(server.url + path, { method: "POST", headers: { authorization: `Bearer ${key}` }, body: form });
}

const codeOf = async (answer: Response): Promise<string> => JSON.parse(await answer.text()).error?.code ?? "none";

describe("somebody who signs up", () => {
  it("has the free plan and no API; with another plan a key works until it is revoked", async () => {
    const { browser, email, account } = await signedUp();
    expect(account).toMatchObject({ email, hasPassword: true, plan: { id: "free", label: "Free", apiAccess: false, maxInputMb: 25 } });
    const refused = await browser.ask("POST", "/web/v1/keys", { name: "laptop" });
    expect({ status: refused.status, code: refused.json.error.code }).toEqual({ status: 403, code: "NOT_ENTITLED" });

    await filemill("accounts", "set-plan", email, "plus");
    const created = await browser.ask("POST", "/web/v1/keys", { name: "laptop" });
    expect(created.status, created.text).toBe(201);
    const { key, secret } = created.json;
    expect(key).toMatchObject({ name: "laptop", prefix: secret.slice(0, 8), scopes: ["convert", "read"], revokedAt: null });
    expect((await convertWith(secret)).status).toBe(200);
    await expect.poll(async () => (await browser.ask("GET", "/web/v1/keys")).json.keys[0].lastUsedAt).not.toBeNull();
    expect((await browser.ask("GET", "/web/v1/keys")).text).not.toContain(secret.slice(8));

    const renamed = await browser.ask("PATCH", `/web/v1/keys/${key.id}`, { name: "desk" });
    expect(renamed.json.key).toMatchObject({ id: key.id, name: "desk" });
    expect((await browser.ask("DELETE", `/web/v1/keys/${key.id}`)).status).toBe(204);
    expect(await codeOf(await convertWith(secret))).toBe("API_KEY_REVOKED");
  });

  it("converts in the page, with addresses that the page can use", async () => {
    const { browser } = await signedUp();
    const converted = await browser.convert("webp", png, "dot.png");
    expect(converted.status, converted.text).toBe(200);
    const { job } = converted.json;
    expect(job.download).toBe(`${server.url}/web/v1/jobs/${job.id}/download`);
    expect((await browser.ask("GET", "/web/v1/jobs")).json.jobs).toMatchObject([{ id: job.id }]);
    const shown = await browser.ask("GET", `/web/v1/jobs/${job.id}/download?inline=1`);
    expect(shown.headers.get("content-disposition")).toMatch(/^inline; filename="?dot\.webp"?$/);
    expect((await browser.ask("GET", "/web/v1/me")).json.account.usage).toEqual({ requestsThisMinute: 1, unfinishedJobs: 0 });
  });
});
