/** Sharing a result by link with somebody who has no account. */
import sharp from "sharp";
import { expect, test } from "vitest";
import { png } from "#test/gateway/samples.ts";
import { phone } from "#test/harness/browser.ts";
import { type BrowserClient, openBrowserClient } from "#test/harness/browser-client.ts";
import { runCli } from "#test/harness/cli.ts";
import { withPages } from "#test/harness/pages.ts";
import { seriousFindings } from "./accessibility.ts";

const password = "correct horse battery staple";

const pages = withPages();

/** A user with a result. */
async function personWithResult(email: string) {
  const person = openBrowserClient(pages.server.url);
  expect((await person.ask("POST", "/web/v1/sign-up", { email, password })).status).toBe(201);
  const { job } = (await person.convert("jpg", png, "holiday.png")).json;
  return { person, email, links: `/web/v1/jobs/${job.id}/links`, jobId: String(job.id) };
}

const linkOf = async (person: BrowserClient, links: string, maxDownloads = 0) =>
  (await person.ask("POST", links, { lifeSeconds: 3600, maxDownloads })).json.link;

test("a link gives anyone its one file as a download that reveals nothing about the account", async () => {
  const { person, links, email, jobId } = await personWithResult("ada@example.org");
  const { url } = await linkOf(person, links);
  expect(url).toMatch(new RegExp(`^${pages.server.url}/share/[\\w-]{80,}$`));
  const page = await fetch(url);
  expect(page.status).toBe(200);
  const file = await fetch(`${url}/file`, { headers: { range: "bytes=0-1" } });
  const bytes = Buffer.from(await file.arrayBuffer());
  expect((await sharp(bytes).metadata()).format).toBe("jpeg");
  const told = Object.fromEntries(file.headers);
  expect(told).toMatchObject({
    ...{ "content-disposition": "attachment; filename=holiday.jpg", "x-content-type-options": "nosniff", "cache-control": "no-store" },
    ...{ "content-security-policy": "default-src 'none'; sandbox", "referrer-policy": "no-referrer", "x-robots-tag": "noindex" },
  });
  expect(file.headers.getSetCookie()).toEqual([]);
  const everything = `${await page.text()} ${JSON.stringify(Object.fromEntries(page.headers))} ${JSON.stringify(told)}`;
  for (const secret of [email, jobId, "acc_"]) expect(everything).not.toContain(secret);
});

test("a link stops working when its downloads are used up, it is revoked or its account is disabled", async () => {
  const { person, links, email } = await personWithResult("bob@example.org");
  const once = await linkOf(person, links, 1);
  // Opening the page is not a download: chat programs visit links on their own.
  expect((await fetch(once.url)).status).toBe(200);
  expect((await fetch(`${once.url}/file`)).status).toBe(200);
  expect((await fetch(`${once.url}/file`)).status).toBe(404);
  expect((await fetch(once.url)).status).toBe(404);
  const [revoked, left] = [await linkOf(person, links), await linkOf(person, links)];
  expect((await person.ask("DELETE", `${links}/${revoked.id}`)).status).toBe(204);
  expect((await fetch(`${revoked.url}/file`)).status).toBe(404);
  const listed = (await person.ask("GET", links)).json.links;
  expect(listed).toMatchObject([{ id: left.id, downloads: 0, maxDownloads: 0 }]);
  // The link can be copied again: it is reissued each time.
  expect((await fetch(`${listed[0].url}/file`)).status).toBe(200);
  await runCli(pages.server, ["accounts", "disable", email]);
  await expect.poll(async () => (await fetch(`${left.url}/file`)).status).toBe(404);
  expect((await fetch(`${pages.server.url}/share/${"A".repeat(120)}/file`)).status).toBe(404);
});

test("only the job's account can create, see and revoke its links; guests cannot create any", async () => {
  const { links } = await personWithResult("cy@example.org");
  const { person: other } = await personWithResult("dan@example.org");
  expect((await other.ask("POST", links, { lifeSeconds: 3600 })).json.error.code).toBe("JOB_NOT_FOUND");
  expect((await other.ask("GET", links)).json.error.code).toBe("JOB_NOT_FOUND");
  expect((await other.ask("DELETE", `${links}/x`)).json.error.code).toBe("JOB_NOT_FOUND");
  const guest = openBrowserClient(pages.server.url);
  expect((await guest.ask("POST", links, { lifeSeconds: 3600 })).json.error.code).toBe("SIGN_IN_REQUIRED");
  const elsewhere = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect((await other.ask("POST", links, { lifeSeconds: 3600 }, elsewhere)).json.error.code).toBe("CROSS_SITE_REQUEST");
});

test("creates, opens and revokes a link in the share dialog on a phone", { timeout: 180_000 }, async () => {
  const page = await pages.open("/automate", phone);
  await page.getByRole("button", { name: "Create one" }).click();
  await page.getByLabel("E-mail").fill("eve@example.org");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Plan: Free" }).waitFor();
  await page.getByRole("link", { name: "Convert", exact: true }).click();
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles([{ name: "photo.png", mimeType: "image/png", buffer: Buffer.from(png) }]);
  await page.getByRole("button", { name: "Convert to JPG" }).click();
  await page.getByRole("button", { name: "Share photo.jpg" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create link" }).click();
  const url = await dialog.locator(".link-text").innerText();
  expect(await seriousFindings(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);

  const stranger = await pages.open(url.slice(pages.server.url.length), { ...phone, javaScriptEnabled: false });
  await stranger.getByRole("heading", { name: "photo.jpg" }).waitFor();
  const [download] = await Promise.all([stranger.waitForEvent("download"), stranger.getByRole("link", { name: "Download" }).click()]);
  expect(download.suggestedFilename()).toBe("photo.jpg");
  await stranger.context().close();

  await dialog.getByRole("button", { name: "Revoke link" }).click();
  await dialog.getByRole("button", { name: "Revoke link" }).waitFor({ state: "detached" });
  expect((await fetch(`${url}/file`)).status).toBe(404);
  expect(page.faults).toEqual([]);
  await page.context().close();
});
