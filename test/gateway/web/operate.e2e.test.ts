/** The operator's page and its requests, against the whole product. */
import { expect, test } from "vitest";
import { operatorEndpoints } from "#gateway/operator/endpoints.ts";
import { png } from "#test/gateway/samples.ts";
import { phone } from "#test/harness/browser.ts";
import { type BrowserClient, openBrowserClient } from "#test/harness/browser-client.ts";
import { runCli } from "#test/harness/cli.ts";
import { withPages } from "#test/harness/pages.ts";
import { seriousFindings } from "./accessibility.ts";

const email = "ada@example.org";
const password = "correct horse battery staple";

const pages = withPages();

/** Sends every request that operators may send. */
function askAll(client: BrowserClient, headers: Readonly<Record<string, string>> = {}) {
  return Promise.all(
    Object.values(operatorEndpoints).map(async ({ method, path, ...rest }) => {
      const body = "body" in rest ? { email: "x@example.org", plan: "free", accountId: "x" } : undefined;
      const { status } = await client.ask(method, path.replace("{id}", "0".repeat(26)), body, headers);
      return `${method} ${path} ${status}`;
    }),
  );
}

const allOf = (status: number): string[] => Object.values(operatorEndpoints).map(({ method, path }) => `${method} ${path} ${status}`);

test("operator endpoints answer 404 to guests, ordinary accounts and an operator's API key", async () => {
  const guest = openBrowserClient(pages.server.url);
  expect(await askAll(guest)).toEqual(allOf(404));
  expect(await askAll(openBrowserClient(pages.server.url), { authorization: `Bearer ${pages.server.key}` })).toEqual(allOf(404));
  const ordinary = openBrowserClient(pages.server.url);
  expect((await ordinary.ask("POST", "/web/v1/sign-up", { email: "eve@example.org", password })).status).toBe(201);
  expect((await ordinary.ask("GET", "/web/v1/me")).json.account.operator).toBe(false);
  expect(await askAll(ordinary)).toEqual(allOf(404));
  ordinary.headers.set("x-operator", "true");
  ordinary.cookies.set("operator", "true");
  expect(await askAll(ordinary)).toEqual(allOf(404));
});

test("the operator manages accounts and jobs on a phone, starting from the first start's link", { timeout: 240_000 }, async () => {
  const link = pages.server.signInLink ?? "";
  const page = await pages.open(link.slice(pages.server.url.length), phone);
  await page.getByRole("heading", { name: "Getting started" }).waitFor();
  expect(new URL(page.url()).hash).toBe("");
  await page.getByRole("link", { name: "Operate" }).waitFor();
  await page.getByText("Engine sandbox").waitFor();
  await page.getByRole("heading", { name: /^Engines \(\d+\)$/ }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);

  await page.getByRole("button", { name: "Create account" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill(email);
  await dialog.getByLabel("Plan").selectOption({ label: "Plus" });
  expect(await seriousFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Create account" }).click();
  const token = (await dialog.locator("#sign-in-link").innerText()).split("=")[1];
  await dialog.getByRole("button", { name: "Done" }).click();

  const person = openBrowserClient(pages.server.url);
  expect((await person.ask("POST", "/web/v1/sign-in/link", { token })).json.account).toMatchObject({ email, operator: false });
  const { job } = (await person.convert("jpg", png, "secret-name.png")).json;
  const jobs = page.getByRole("region", { name: "Jobs" });
  await jobs.getByText(email).waitFor();
  expect(job.status).toBe("done");
  expect(await jobs.locator("time").first().innerText()).toMatch(/now|second|minute/);
  expect(await page.content()).not.toContain("secret-name");
  await jobs.getByRole("combobox").selectOption("failed");
  await jobs.getByText("None.").waitFor();

  await page.getByRole("searchbox").fill("ada@");
  await page.getByRole("heading", { name: "Accounts (1)" }).waitFor();
  await page.getByRole("button", { name: `Change ${email}` }).click();
  expect(await seriousFindings(page)).toEqual([]);
  await dialog.getByLabel("Plan").selectOption({ label: "Free" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await person.ask("GET", "/web/v1/me")).json.account?.plan.id).toBe("free");
  await page.getByRole("button", { name: `Change ${email}` }).click();
  await dialog.getByRole("button", { name: "Suspend" }).click();
  await dialog.getByRole("button", { name: "Suspend" }).click();
  await page.getByText("disabled", { exact: true }).waitFor();
  await expect.poll(async () => (await person.ask("GET", "/web/v1/me")).json.account).toBeNull();

  for (const path of ["/docs", "/docs/formats", "/docs/errors"]) {
    await page.goto(path);
    await page.getByRole("link", { name: "local@filemill.localhost" }).waitFor();
    await page.getByRole("link", { name: "Operate" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path).toBe(true);
  }
  expect(page.faults).toEqual([]);
  await page.context().close();
});

/** A user who was made an operator on the command line. */
async function newOperator(): Promise<BrowserClient> {
  const client = openBrowserClient(pages.server.url);
  const address = `operator${Math.random().toString(36).slice(2)}@example.org`;
  expect((await client.ask("POST", "/web/v1/sign-up", { email: address, password })).status).toBe(201);
  await runCli(pages.server, ["accounts", "operator", address]);
  await expect.poll(async () => (await client.ask("GET", "/web/v1/operator/house")).status).toBe(200);
  return client;
}

test("operator rights are granted and revoked on the server, and cross-site requests are rejected", async () => {
  const operator = await newOperator();
  const elsewhere = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  const { id } = (await operator.ask("GET", "/web/v1/me")).json.account;
  for (const { method, path } of Object.values(operatorEndpoints).filter((endpoint) => endpoint.method !== "GET"))
    expect((await operator.ask(method, path.replace("{id}", id), {}, elsewhere)).json.error.code).toBe("CROSS_SITE_REQUEST");
  for (const body of [{ disabled: true }, { operator: false }])
    expect((await operator.ask("PATCH", `/web/v1/operator/accounts/${id}`, body)).json.error.code).toBe("BAD_REQUEST");
  expect((await operator.ask("DELETE", `/web/v1/operator/accounts/${id}`)).json.error.code).toBe("BAD_REQUEST");

  const second = await newOperator();
  expect((await second.ask("PATCH", `/web/v1/operator/accounts/${id}`, { operator: false })).status).toBe(204);
  await expect.poll(async () => (await operator.ask("GET", "/web/v1/operator/house")).status).toBe(404);
  expect((await second.ask("DELETE", `/web/v1/operator/accounts/${id}`)).status).toBe(204);
  const { accounts } = (await second.ask("GET", "/web/v1/operator/accounts")).json;
  expect(accounts.map((account: { id: string }) => account.id)).not.toContain(id);
});

test("an operator sees a guest's job without its file name and cancels it by its account", async () => {
  const operator = await newOperator();
  const guest = openBrowserClient(pages.server.url);
  const { job } = (await guest.convert("jpg", png, "still.png")).json;
  const answer = await operator.ask("GET", "/web/v1/operator/jobs?limit=1");
  const [newest] = answer.json.jobs;
  expect(newest).toMatchObject({ id: job.id, email: null, from: "png", to: "jpg" });
  expect(answer.text).not.toContain("still");
  const cancel = (accountId: string) => operator.ask("POST", `/web/v1/operator/jobs/${newest.id}/cancel`, { accountId });
  expect((await cancel("somebody else")).json.error.code).toBe("JOB_NOT_FOUND");
  expect((await cancel(newest.accountId)).status).toBe(204);
  expect((await operator.ask("GET", "/web/v1/operator/jobs?status=nonsense")).json.error.code).toBe("BAD_REQUEST");
});
