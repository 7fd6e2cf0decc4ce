/** Accounts, sessions and keys, against the whole product over HTTP only. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBrowserClient } from "#test/harness/browser-client.ts";
import { runCli } from "#test/harness/cli.ts";
import { filesUnder } from "#test/harness/folders.ts";
import { opened } from "#test/harness/opened.ts";
import { pixel } from "#test/harness/rest.ts";
import { startServer, withoutOffice } from "#test/harness/server.ts";

const password = "correct horse battery";
const server = opened(() => startServer(withoutOffice));
let serial = 0;

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
  form.append("file", new File([pixel], "a.png"));
  return fetch(server.url + path, { method: "POST", headers: { authorization: `Bearer ${key}` }, body: form });
}

const codeOf = async (answer: Response): Promise<string> => JSON.parse(await answer.text()).error?.code ?? "none";

describe("a new user", () => {
  it("has the free plan without API access; on another plan, a key works until it is revoked", async () => {
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

  it("converts on the page, with URLs that the page can use", async () => {
    const { browser } = await signedUp();
    const converted = await browser.convert("webp", pixel, "dot.png");
    expect(converted.status, converted.text).toBe(200);
    const { job } = converted.json;
    expect(job.download).toBe(`${server.url}/web/v1/jobs/${job.id}/download`);
    expect((await browser.ask("GET", "/web/v1/jobs")).json.jobs).toMatchObject([{ id: job.id }]);
    const shown = await browser.ask("GET", `/web/v1/jobs/${job.id}/download?inline=1`);
    expect(shown.headers.get("content-disposition")).toMatch(/^inline; filename="?dot\.webp"?$/);
    const text = await browser.convert("txt", Buffer.from("<h1>Grüße</h1>"), "letters.html");
    const read = await browser.ask("GET", `/web/v1/jobs/${text.json.job.id}/download?inline=1`);
    expect(read.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect((await browser.ask("GET", "/web/v1/me")).json.account.usage).toMatchObject({ requestsThisMinute: 2, unfinishedJobs: 0 });
  });
});

async function signedUpPlus() {
  const person = await signedUp();
  await filemill("accounts", "set-plan", person.email, "plus");
  const keyWith = async (wanted: object): Promise<string> => {
    const created = await person.browser.ask("POST", "/web/v1/keys", { name: "", ...wanted });
    expect(created.status, created.text).toBe(201);
    return created.json.secret;
  };
  return { ...person, keyWith };
}

const readWith = (key: string, path = "/api/v1/jobs", method = "GET") =>
  fetch(server.url + path, { method, headers: { authorization: `Bearer ${key}` } });

describe("an API key", () => {
  it("permits only what its scopes allow", async () => {
    const { keyWith } = await signedUpPlus();
    const [reading, converting] = [await keyWith({ scopes: ["read"] }), await keyWith({ scopes: ["convert"] })];
    const refused = await convertWith(reading);
    expect(refused.status).toBe(403);
    expect(JSON.parse(await refused.text()).error).toMatchObject({ code: "NOT_ENTITLED", details: { scope: "convert" } });
    const { job } = JSON.parse(await (await convertWith(converting)).text());
    expect(await codeOf(await readWith(converting))).toBe("NOT_ENTITLED");
    expect(await codeOf(await readWith(reading, `/api/v1/jobs/${job.id}`))).toBe("none");
    expect(await codeOf(await readWith(reading, `/api/v1/jobs/${job.id}`, "DELETE"))).toBe("NOT_ENTITLED");
    expect((await readWith(converting, `/api/v1/jobs/${job.id}`, "DELETE")).status).toBe(204);
  });

  it("works until it expires", async () => {
    const { browser, keyWith } = await signedUpPlus();
    const expiring = await keyWith({ expiresAt: new Date(Date.now() + 10_000).toISOString() });
    expect(await codeOf(await readWith(expiring))).toBe("none");
    await expect.poll(async () => codeOf(await readWith(expiring))).toBe("API_KEY_REVOKED");
    for (const expiresAt of ["2001-01-31", "tomorrow", "2026-13-45T00:00:00Z"]) {
      const refused = await browser.ask("POST", "/web/v1/keys", { name: "", expiresAt });
      expect(refused.json.error).toMatchObject({ code: "BAD_REQUEST", details: { field: "expiresAt" } });
    }
  });

  it("cannot be seen or changed by another account", async () => {
    const [one, two] = [await signedUpPlus(), await signedUpPlus()];
    const secret = await one.keyWith({ name: "mine" });
    const [key] = (await one.browser.ask("GET", "/web/v1/keys")).json.keys;
    for (const [method, body] of [
      ["PATCH", { name: "yours" }],
      ["DELETE", undefined],
    ] as const) {
      expect((await two.browser.ask(method, `/web/v1/keys/${key.id}`, body)).json.error.code).toBe("KEY_NOT_FOUND");
    }
    expect(await codeOf(await readWith(secret))).toBe("none");
  });
});

describe("an account", () => {
  it("that is disabled is refused by key, session and password at once, until it is enabled", async () => {
    const { browser, email, keyWith } = await signedUpPlus();
    const secret = await keyWith({});
    await filemill("accounts", "disable", email);
    expect((await readWith(secret)).status).toBe(403);
    expect((await browser.ask("GET", "/web/v1/keys")).json.error.code).toBe("SIGN_IN_REQUIRED");
    expect((await browser.ask("POST", "/web/v1/sign-in", { email, password })).json.error.code).toBe("INVALID_CREDENTIALS");
    expect(await filemill("accounts", "list")).toMatch(new RegExp(`${email.replaceAll(".", "\\.")} .* disabled$`, "m"));
    await filemill("accounts", "enable", email);
    expect(await codeOf(await readWith(secret))).toBe("none");
    expect((await browser.ask("POST", "/web/v1/sign-in", { email, password })).status).toBe(200);
  });

  it("that is deleted loses its keys, sessions, jobs and files and frees its address", async () => {
    const { browser, email, account, keyWith } = await signedUpPlus();
    const secret = await keyWith({ name: "left behind" });
    const content = `only in this file ${account.id}`;
    const form = new FormData();
    form.append("to", "html");
    form.append("file", new File([content], "a.md"));
    const headers = { authorization: `Bearer ${secret}`, "idempotency-key": "once" };
    const { job } = JSON.parse(await (await fetch(`${server.url}/api/v1/convert?from=md`, { method: "POST", headers, body: form })).text());
    expect(job.status).toBe("done");
    // Only the result: the input of a finished job is removed after the answer.
    await expect.poll(() => blobsWith(content)).toBe(1);

    const wrong = await browser.ask("DELETE", "/web/v1/me", { password: "not my password" });
    expect(wrong.json.error).toMatchObject({ code: "INVALID_CREDENTIALS", details: { field: "password" } });
    const token = browser.cookies.get("filemill_session") ?? "";
    expect((await browser.ask("DELETE", "/web/v1/me", { password })).status).toBe(204);

    expect(await blobsWith(content)).toBe(0);
    expect(await codeOf(await readWith(secret))).toBe("INVALID_API_KEY");
    browser.cookies.set("filemill_session", token);
    expect((await browser.ask("GET", "/web/v1/me")).json.account).toBeNull();
    expect(await filemill("accounts", "list")).not.toContain(email);
    const again = await openBrowserClient(server.url).ask("POST", "/web/v1/sign-up", { email, password });
    expect(again.json.account.id).not.toBe(account.id);
  });

  it("without a password is deleted by typing its address, or on the command line", async () => {
    const said = await filemill("accounts", "create", "made@example.org", "--plan", "free");
    expect(said).toMatch(/^acc_\w+\n$/);
    const link = await filemill("accounts", "link", "made@example.org");
    const browser = openBrowserClient(server.url);
    await browser.ask("POST", "/web/v1/sign-in/link", { token: link.trim().split("=")[1] });
    expect((await browser.ask("DELETE", "/web/v1/me", { email: "other@example.org" })).json.error.details).toEqual({ field: "email" });
    expect((await browser.ask("DELETE", "/web/v1/me", { email: "Made@example.org" })).status).toBe(204);
    await filemill("accounts", "create", "made@example.org", "--plan", "free");
    // What was deleted before stays pending until the next sweep.
    expect(await filemill("purge")).toMatch(/^(\d+ jobs|1 job) with 0 files \(0\.0 MB\), 0 files of no job would be removed\.\n$/);
    expect(await filemill("purge", "--account", "made@example.org", "--yes")).toBe("0 jobs with 0 files (0.0 MB) removed.\n");
    await filemill("accounts", "delete", "made@example.org");
    expect(await filemill("accounts", "list")).not.toContain("made@example.org");
  });
});

/** How many stored files contain this text. */
async function blobsWith(text: string): Promise<number> {
  // The input of a finished job may disappear in the meantime.
  const read = (path: string) =>
    readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return Buffer.alloc(0);
      throw error;
    });
  const files = await Promise.all((await filesUnder(join(server.dataDir, "blobs"))).map(read));
  return files.filter((bytes) => bytes.includes(text)).length;
}
