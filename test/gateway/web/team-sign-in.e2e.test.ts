/** Sign-in with a real OpenID Connect provider in a real browser, from the button to the keys. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, type TestBrowser, type TestPage } from "#test/harness/browser.ts";
import { clientId, clientSecret, openTestProvider } from "#test/harness/oidc-provider.ts";
import { opened } from "#test/harness/opened.ts";
import { startServer, type TestServer, withoutOffice } from "#test/harness/server.ts";
import { seriousFindings } from "./accessibility.ts";

const provider = opened(openTestProvider);
let server: TestServer;
let browser: TestBrowser;
beforeAll(async () => {
  server = await startServer({
    ...withoutOffice,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_LABEL: "Acme",
    OIDC_PLAN: "plus",
    OIDC_ALLOWED_DOMAINS: "acme.example",
  });
  provider.serve(`${server.url}/auth/oidc/callback`, { ada: { email: "ada@acme.example" }, eve: { email: "eve@elsewhere.example" } });
  browser = await openBrowser(server.url);
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

/** Clicks the button and fills in the provider's forms. */
async function enterAs(page: TestPage, login: string): Promise<void> {
  // The provider's own pages would wait for these, even without network access.
  await page.context().route("https://fonts.googleapis.com/**", (route) => route.abort());
  await page.getByRole("link", { name: "Continue with Acme" }).click();
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
}

/** Requests to the provider are expected, as are those of its pages for fonts; any other external request is a fault. */
const faultsOf = (page: TestPage) =>
  page.faults.filter(
    (fault) => ![`${provider.issuer}/`, "https://fonts.googleapis.com/"].some((url) => fault.startsWith(`left the server: ${url}`)),
  );

test("signs in through the provider and returns to the keys page", async () => {
  const page = await browser.open("/automate");
  await page.getByRole("link", { name: "Continue with Acme" }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await enterAs(page, "ada");
  await page.getByText("Signed in as ada@acme.example").waitFor();
  await page.getByRole("button", { name: "Create key" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/automate");
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByRole("link", { name: "Continue with Acme" }).waitFor();
  expect(faultsOf(page)).toEqual([]);
  await page.context().close();
});

test("reports a rejected sign-in and leaves nothing of it in the URL", async () => {
  const page = await browser.open("/automate");
  await enterAs(page, "eve");
  await page.getByRole("alert").filter({ hasText: "The sign-in did not work" }).waitFor();
  expect(page.url()).toBe(`${server.url}/automate`);
  expect(faultsOf(page)).toEqual([]);
  await page.context().close();
});
