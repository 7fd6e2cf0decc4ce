/** Sign-in with a real OpenID Connect provider, from the first link to the session. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserClient, openBrowserClient } from "#test/harness/browser-client.ts";
import { runCli } from "#test/harness/cli.ts";
import { clientId, clientSecret, openTestProvider, passProvider } from "#test/harness/oidc-provider.ts";
import { opened } from "#test/harness/opened.ts";
import { startServer, type TestServer, withoutOffice } from "#test/harness/server.ts";

const password = "correct horse battery";
const provider = opened(openTestProvider);
let server: TestServer;

beforeAll(async () => {
  server = await startServer({
    ...withoutOffice,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_LABEL: "Acme",
    OIDC_PLAN: "plus",
    OIDC_ALLOWED_DOMAINS: "acme.example, other.example",
  });
  provider.serve(`${server.url}/auth/oidc/callback`, {
    ada: { email: "Ada@acme.example" },
    bob: { email: "bob@acme.example", emailVerified: false },
    eve: { email: "eve@elsewhere.example" },
    grace: { email: "grace@other.example" },
    henry: {},
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** Signs in at the provider; resolves with the browser's final URL. */
async function enter(browser: BrowserClient, login: string, query = ""): Promise<string> {
  const begun = await browser.ask("GET", `/auth/oidc/start${query}`);
  expect(begun.status, begun.text).toBe(303);
  const back = await passProvider(provider.issuer, begun.headers.get("location") ?? "", login);
  const ended = await browser.ask("GET", back.slice(server.url.length));
  expect(ended.status, ended.text).toBe(303);
  return ended.headers.get("location") ?? "";
}

const meOf = async (browser: BrowserClient) => (await browser.ask("GET", "/web/v1/me")).json;

describe("sign-in with a provider", () => {
  it("is offered, creates an account on its plan, and finds it again", async () => {
    const browser = openBrowserClient(server.url);
    expect((await meOf(browser)).oidc).toEqual({ label: "Acme", url: "/auth/oidc/start" });
    expect(await enter(browser, "ada", "?next=/jobs")).toBe("/jobs");
    const { account } = await meOf(browser);
    expect(account).toMatchObject({ email: "ada@acme.example", hasPassword: false, plan: { id: "plus" } });
    const again = openBrowserClient(server.url);
    expect(await enter(again, "ada")).toBe("/automate");
    expect((await meOf(again)).account.id).toBe(account.id);
  });

  it("uses state, nonce and PKCE, and redirects only to our own pages", async () => {
    const browser = openBrowserClient(server.url);
    const begun = await browser.ask("GET", "/auth/oidc/start?next=//evil.example");
    const asked = new URL(begun.headers.get("location") ?? "").searchParams;
    expect(asked.get("code_challenge_method")).toBe("S256");
    for (const name of ["state", "nonce", "code_challenge"]) expect(asked.get(name)).toMatch(/^[\w-]{43}$/);
    expect(await enter(browser, "ada", "?next=//evil.example")).toBe("/automate");
  });

  it.each([
    ["an unverified address", "bob"],
    ["an address in another domain", "eve"],
    ["no address", "henry"],
  ])("refuses %s", async (_, login) => {
    const browser = openBrowserClient(server.url);
    expect(await enter(browser, login)).toBe("/automate#error=INVALID_CREDENTIALS");
    expect((await meOf(browser)).account).toBeNull();
  });

  it("refuses a callback that was requested by another browser or not at all", async () => {
    const [victim, attacker] = [openBrowserClient(server.url), openBrowserClient(server.url)];
    const begun = await attacker.ask("GET", "/auth/oidc/start");
    const back = await passProvider(provider.issuer, begun.headers.get("location") ?? "", "ada");
    const path = back.slice(server.url.length);
    expect((await victim.ask("GET", path)).headers.get("location")).toBe("/automate#error=INVALID_CREDENTIALS");
    await victim.ask("GET", "/auth/oidc/start");
    expect((await victim.ask("GET", path)).headers.get("location")).toBe("/automate#error=INVALID_CREDENTIALS");
    expect((await meOf(victim)).account).toBeNull();
    expect((await attacker.ask("GET", path)).headers.get("location")).toBe("/automate");
  });

  it("takes over an unverified account with the same address and ends its password, sessions and keys", async () => {
    const squatter = openBrowserClient(server.url);
    const taken = await squatter.ask("POST", "/web/v1/sign-up", { email: "grace@other.example", password });
    await runCli(server, ["accounts", "set-plan", "grace@other.example", "plus"]);
    const { secret } = (await squatter.ask("POST", "/web/v1/keys", { name: "" })).json;
    const owner = openBrowserClient(server.url);
    await enter(owner, "grace");
    expect((await meOf(owner)).account).toMatchObject({ id: taken.json.account.id, hasPassword: false });
    expect((await meOf(squatter)).account).toBeNull();
    const again = await squatter.ask("POST", "/web/v1/sign-in", { email: "grace@other.example", password });
    expect(again.json.error.code).toBe("INVALID_CREDENTIALS");
    const used = await fetch(`${server.url}/api/v1/jobs`, { headers: { authorization: `Bearer ${secret}` } });
    expect(JSON.parse(await used.text()).error.code).toBe("API_KEY_REVOKED");
  });

  it("keeps codes, tokens and the client secret out of the log", async () => {
    await expect.poll(() => server.log()).toContain("gateway.oidc_refused");
    for (const secret of [clientSecret, "code=", "eyJ"]) expect(server.log()).not.toContain(secret);
  });
});
