/** Passwords, links, sessions and guests, against the whole product over HTTP only. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserClient, openBrowserClient } from "#test/harness/browser-client.ts";
import { runCli } from "#test/harness/cli.ts";
import { filesUnder } from "#test/harness/folders.ts";
import { pixel } from "#test/harness/rest.ts";
import { startServer, type TestServer, withoutOffice } from "#test/harness/server.ts";

const password = "correct horse battery";
const other = "staple the battery";

/** Guests and free accounts have low limits, so that tests can reach them. */
const plans = {
  free: { apiAccess: false, maxInputMb: 1, requestsPerMinute: 8, maxUnfinishedJobs: 5, retentionSeconds: 3600, label: "Gratis" },
  plus: { apiAccess: true, maxInputMb: 500, requestsPerMinute: 1000, maxUnfinishedJobs: 1000, retentionSeconds: 86_400 },
};

let server: TestServer;
let serial = 0;
beforeAll(async () => {
  // Each test is its own client, by its forwarded address.
  server = await startServer({ ...withoutOffice, TRUSTED_PROXIES: "127.0.0.1" }, plans);
});
afterAll(() => server[Symbol.asyncDispose]());

/** A browser with its own address. */
function newBrowser(): BrowserClient {
  const browser = openBrowserClient(server.url);
  browser.headers.set("x-forwarded-for", `198.18.${++serial >> 8}.${serial & 255}`);
  return browser;
}

async function signedUp(email = `person${++serial}@example.org`) {
  const browser = newBrowser();
  const answer = await browser.ask("POST", "/web/v1/sign-up", { email, password });
  expect(answer.status, answer.text).toBe(201);
  return { browser, email };
}

async function signedIn(email: string, by = password): Promise<BrowserClient> {
  const browser = newBrowser();
  expect((await browser.ask("POST", "/web/v1/sign-in", { email, password: by })).status).toBe(200);
  return browser;
}

const accountOf = async (browser: BrowserClient) => (await browser.ask("GET", "/web/v1/me")).json.account;
const codeOf = async (asked: Promise<{ status: number; json: { error?: { code: string } } }>) => (await asked).json?.error?.code ?? "none";

describe("a session", () => {
  it("uses an HttpOnly, SameSite cookie that changes at each sign-in", async () => {
    const { browser, email } = await signedUp();
    const planted = browser.cookies.get("filemill_session");
    expect(browser.setCookies.find((line) => line.startsWith("filemill_session="))).toMatch(
      /^filemill_session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    await browser.ask("POST", "/web/v1/sign-in", { email, password });
    expect(browser.cookies.get("filemill_session")).not.toBe(planted);
    const fixed = newBrowser();
    fixed.cookies.set("filemill_session", planted ?? "");
    expect(await accountOf(fixed)).toBeNull();
    expect(fixed.cookies.has("filemill_session")).toBe(false);
  });

  it("ends by signing out, here or everywhere", async () => {
    const { browser, email } = await signedUp();
    const second = await signedIn(email);
    const token = second.cookies.get("filemill_session") ?? "";
    await second.ask("POST", "/web/v1/sign-out");
    second.cookies.set("filemill_session", token);
    expect(await codeOf(second.ask("GET", "/web/v1/keys"))).toBe("SIGN_IN_REQUIRED");
    const third = await signedIn(email);
    expect((await third.ask("POST", "/web/v1/sign-out-everywhere")).status).toBe(204);
    expect(await accountOf(browser)).toBeNull();
  });

  it("survives a password change in this browser only", async () => {
    const { browser, email } = await signedUp();
    const elsewhere = await signedIn(email);
    const wrong = await browser.ask("POST", "/web/v1/password", { current: "not my password", next: other });
    expect(wrong.json.error).toMatchObject({ code: "INVALID_CREDENTIALS", details: { field: "current" } });
    expect((await browser.ask("POST", "/web/v1/password", { current: password, next: other })).status).toBe(204);
    expect(await accountOf(browser)).toMatchObject({ email });
    expect(await accountOf(elsewhere)).toBeNull();
    expect(await codeOf(newBrowser().ask("POST", "/web/v1/sign-in", { email, password }))).toBe("INVALID_CREDENTIALS");
    await signedIn(email, other);
  });
});

describe("a cross-site request", () => {
  it.each([
    ["another site's Origin", { origin: "https://evil.example" }],
    ["an opaque Origin", { origin: "null" }],
    ["a cross-site fetch", { "sec-fetch-site": "cross-site" }],
    ["a neighbouring subdomain", { "sec-fetch-site": "same-site" }],
    ["a form, which cannot set the header", { "x-filemill": "" }],
  ])("is refused: %s", async (_, headers) => {
    const { browser } = await signedUp();
    for (const path of ["/web/v1/sign-out-everywhere", "/web/v1/sign-in", "/web/v1/convert"])
      expect(await codeOf(browser.ask("POST", path, { email: "a@example.org", password }, headers))).toBe("CROSS_SITE_REQUEST");
    expect(await accountOf(browser)).not.toBeNull();
  });

  it("is refused with a form's content type", async () => {
    const { browser } = await signedUp();
    const plain = { "content-type": "text/plain" };
    expect(await codeOf(browser.ask("POST", "/web/v1/sign-in", { email: "a@example.org", password }, plain))).toBe(
      "UNSUPPORTED_MEDIA_TYPE",
    );
  });
});

describe("signing in", () => {
  it("gives the same answer for an unknown address as for a wrong password", async () => {
    const { email } = await signedUp();
    const answers = await Promise.all(
      [email, "nobody@example.org", "not an address"].map((each) =>
        newBrowser().ask("POST", "/web/v1/sign-in", { email: each, password: other }),
      ),
    );
    const said = answers.map(({ status, json }) => ({ status, code: json.error.code, message: json.error.message }));
    expect(new Set(said.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(said[0]).toMatchObject({ status: 401, code: "INVALID_CREDENTIALS" });
  });

  it("is throttled by client and account, without locking the owner out elsewhere", async () => {
    const { email } = await signedUp();
    const guesser = newBrowser();
    const codes: string[] = [];
    for (let guess = 0; guess < 10; guess++)
      codes.push(await codeOf(guesser.ask("POST", "/web/v1/sign-in", { email, password: `${other}${guess}` })));
    expect(codes.slice(0, 8)).toEqual(Array(8).fill("INVALID_CREDENTIALS"));
    expect(codes.slice(8)).toEqual(["RATE_LIMITED", "RATE_LIMITED"]);
    const refused = await guesser.ask("POST", "/web/v1/sign-in", { email, password });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(60);
    await signedIn(email);
  });

  it("admits a browser that knows the account despite many guesses by others", async () => {
    const { browser, email } = await signedUp();
    expect(browser.setCookies.find((line) => line.startsWith("filemill_device="))).toMatch(/; HttpOnly; SameSite=Lax$/);
    await browser.ask("POST", "/web/v1/sign-out");
    const codes: string[] = [];
    for (let stranger = 0; stranger < 13; stranger++) {
      const guesser = newBrowser();
      for (let guess = 0; guess < 8; guess++)
        codes.push(await codeOf(guesser.ask("POST", "/web/v1/sign-in", { email, password: `${other}${guess}` })));
    }
    expect(codes.slice(0, 10)).toEqual(Array(10).fill("INVALID_CREDENTIALS"));
    // On a slow machine a few more get through as the waits end.
    expect(codes.filter((code) => code === "RATE_LIMITED").length).toBeGreaterThan(80);
    const stranger = newBrowser();
    const refused = await stranger.ask("POST", "/web/v1/sign-in", { email: "nobody-there@example.org", password });
    expect(refused.json.error.code).toBe("INVALID_CREDENTIALS");

    expect(browser.cookies.has("filemill_session")).toBe(false);
    expect((await browser.ask("POST", "/web/v1/sign-in", { email, password: other })).status).toBe(401);
    expect((await browser.ask("POST", "/web/v1/sign-in", { email, password })).status).toBe(200);
    expect(await accountOf(browser)).toMatchObject({ email });
  });

  it("is throttled the same whether or not the account exists", async () => {
    const { email } = await signedUp();
    const answersOf = async (subject: string): Promise<string[]> => {
      const answers: string[] = [];
      // On a slow machine the first waits end before the next guess.
      for (let status = 0; status !== 429 && answers.length < 40; ) {
        const answer = await newBrowser().ask("POST", "/web/v1/sign-in", { email: subject, password: other });
        status = answer.status;
        answers.push(`${status} ${answer.json.error.code} ${answer.json.error.message}`);
      }
      expect(answers.at(-1)).toContain("RATE_LIMITED");
      return [...new Set(answers)];
    };
    expect(await answersOf(email)).toEqual(await answersOf("nobody-at-all@example.org"));
  });

  it("by one-time link still works after many wrong tokens from 13 addresses", async () => {
    const { email } = await signedUp();
    const token = (await runCli(server, ["accounts", "link", email])).trim().split("=")[1];
    for (let stranger = 0; stranger < 13; stranger++) {
      const guesser = newBrowser();
      for (let guess = 0; guess < 8; guess++)
        expect(await codeOf(guesser.ask("POST", "/web/v1/sign-in/link", { token: "x".repeat(43) }))).toBe("INVALID_CREDENTIALS");
    }
    const entered = await newBrowser().ask("POST", "/web/v1/sign-in/link", { token });
    expect(entered.json.account).toMatchObject({ email });
  });

  it.each([
    [{ email: "nobody", password }, "email"],
    [{ email: "weak@example.org", password: "short" }, "password"],
    [{ email: "weak@example.org", password: "aaaaaaaaaaaaaaa" }, "password"],
    [{ email: "weak@example.org", password: "Weak@Example.org" }, "password"],
    [{ email: "weak@example.org" }, "password"],
    [{ email: 7, password }, "email"],
    [{ email: "weak@example.org", password, admin: true }, "admin"],
  ])("rejects signing up with %j and names the field", async (body, field) => {
    const refused = await newBrowser().ask("POST", "/web/v1/sign-up", body);
    expect(refused.json.error).toMatchObject({ code: "BAD_REQUEST", details: { field } });
  });

  it("rejects signing up with a taken address in any spelling", async () => {
    const { email } = await signedUp();
    expect(await codeOf(newBrowser().ask("POST", "/web/v1/sign-up", { email: email.toUpperCase(), password }))).toBe("ACCOUNT_EXISTS");
  });

  it("by the operator's link works once, and then sets a password without the old one", async () => {
    const { email } = await signedUp();
    const link = (await runCli(server, ["accounts", "link", email])).trim();
    expect(link.startsWith(`${server.url}/automate#link=`)).toBe(true);
    const token = link.split("=")[1];
    const browser = newBrowser();
    const entered = await browser.ask("POST", "/web/v1/sign-in/link", { token });
    expect(entered.json.account).toMatchObject({ email, hasPassword: true, needsCurrentPassword: false });
    expect(await codeOf(newBrowser().ask("POST", "/web/v1/sign-in/link", { token }))).toBe("INVALID_CREDENTIALS");
    expect((await browser.ask("POST", "/web/v1/password", { next: other })).status).toBe(204);
    await signedIn(email, other);
  });
});

describe("the first start", () => {
  it("prints a link that signs in to the local account on its key's plan", async () => {
    expect(server.signInLink?.startsWith(`${server.url}/`)).toBe(true);
    const entered = await newBrowser().ask("POST", "/web/v1/sign-in/link", { token: server.signInLink?.split("=")[1] });
    expect(entered.json.account).toMatchObject({ email: "local@filemill.localhost", hasPassword: false, plan: { id: "plus" } });
  });
});

describe("a guest", () => {
  it("converts within the free plan, isolated from other guests", async () => {
    const [one, two] = [newBrowser(), newBrowser()];
    expect((await one.ask("GET", "/web/v1/me")).json).toMatchObject({
      account: null,
      guest: { plan: { id: "free", label: "Gratis", maxInputMb: 1 } },
    });
    const { job } = (await one.convert("webp", pixel, "a.png")).json;
    expect((await one.ask("GET", "/web/v1/jobs")).json.jobs).toHaveLength(1);
    expect((await two.ask("GET", "/web/v1/jobs")).json.jobs).toHaveLength(0);
    for (const path of [`/web/v1/jobs/${job.id}`, `/web/v1/jobs/${job.id}/download`, `/web/v1/jobs/${job.id}/events`])
      expect(await codeOf(two.ask("GET", path))).toBe("JOB_NOT_FOUND");
    expect(await codeOf(two.ask("DELETE", `/web/v1/jobs/${job.id}`))).toBe("JOB_NOT_FOUND");
    expect((await one.ask("GET", `/web/v1/jobs/${job.id}/download`)).status).toBe(200);
    const big = await one.convert("webp", Buffer.alloc(1_200_000), "big.png");
    expect(big.json.error).toMatchObject({ code: "INPUT_TOO_LARGE", details: { limitMb: 1, limitedBy: "plan" } });
    expect(await codeOf(one.ask("GET", "/web/v1/keys"))).toBe("SIGN_IN_REQUIRED");
  });

  it("is rate-limited by address, even if the cookie is discarded", async () => {
    const browser = newBrowser();
    const codes: string[] = [];
    for (let request = 0; request < 9; request++) {
      browser.cookies.clear();
      codes.push(await codeOf(browser.convert("webp", pixel, "a.png")));
    }
    expect(codes).toEqual([...Array(8).fill("none"), "RATE_LIMITED"]);
    const next = newBrowser();
    expect(await codeOf(next.convert("webp", pixel, "a.png"))).toBe("none");
  });
});

describe("the service's files and log", () => {
  it("contain no password, session or link", async () => {
    const { browser, email } = await signedUp();
    const link = (await runCli(server, ["accounts", "link", email])).trim().split("=")[1] ?? "";
    const cookies = ["filemill_session", "filemill_device"].map((name) => browser.cookies.get(name) ?? "");
    const secrets = [password, other, link, ...cookies, server.key.slice(8)];
    const read = async () => Promise.all((await filesUnder(server.dataDir)).map((path) => readFile(path).catch(() => Buffer.alloc(0))));
    let files = await read();
    await expect
      .poll(async () => {
        files = await read();
        return files.some((bytes) => bytes.includes(email));
      })
      .toBe(true);
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(10);
      expect(files.some((bytes) => bytes.includes(secret))).toBe(false);
      expect(server.log()).not.toContain(secret);
    }
    expect(server.log()).not.toContain(email);
  });
});
