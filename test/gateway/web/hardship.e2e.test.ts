/** A lost connection, an expired session, zoom and forced colours. */
import { beforeAll, expect, test } from "vitest";
import { png } from "#test/gateway/samples.ts";
import { phone } from "#test/harness/browser.ts";
import { openBrowserClient } from "#test/harness/browser-client.ts";
import { slowDrawing } from "#test/harness/hostile-files.ts";
import { withPages } from "#test/harness/pages.ts";
import { startServer } from "#test/harness/server.ts";
import { seriousFindings } from "./accessibility.ts";

const email = "grace@example.org";
const password = "correct horse battery staple";
const plan = { apiAccess: false, maxInputMb: 60, requestsPerMinute: 100_000, maxUnfinishedJobs: 5, retentionSeconds: 3600 };
const pngFile = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.from(png) });

const pages = withPages(() => startServer({}, { free: plan, plus: { ...plan, apiAccess: true } }));
beforeAll(async () => {
  await openBrowserClient(pages.server.url).ask("POST", "/web/v1/sign-up", { email, password });
});

test("reports a connection lost before the upload and resumes when it is back", { timeout: 120_000 }, async () => {
  const page = await pages.open("/");
  await page.locator("input[type=file]").setInputFiles([pngFile("photo.png")]);
  const item = page.getByRole("listitem", { name: "photo.png", exact: true });
  await item.getByRole("button", { name: /All \d+ formats/ }).click();
  await page.getByRole("combobox").fill("avif");
  await page.keyboard.press("Enter");
  await page.context().setOffline(true);
  await item.getByRole("button", { name: "Convert to AVIF" }).click();
  await item.getByText("No connection to the server").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.context().setOffline(false);
  await item.getByRole("link", { name: "Download photo.avif" }).waitFor({ timeout: 60_000 });
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("reports a connection lost while a job is running", async () => {
  const page = await pages.open("/");
  await page.locator("input[type=file]").setInputFiles([{ name: "slow.svg", mimeType: "image/svg+xml", buffer: slowDrawing() }]);
  const item = page.getByRole("listitem", { name: "slow.svg", exact: true });
  await item.getByRole("radio", { name: "PNG" }).check();
  await item.getByRole("button", { name: "Convert to PNG" }).click();
  await item.getByText(/Converting to PNG|in the queue/i).waitFor();
  await page.context().setOffline(true);
  await item.getByText("No connection to the server").waitFor();
  await page.context().setOffline(false);
  await item.getByText(/Converting to PNG|in the queue/i).waitFor();
  await item.getByRole("button", { name: "Cancel" }).click();
  await item.getByRole("button", { name: "Convert to PNG" }).waitFor();
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("signing out elsewhere signs out every window, which then shows the guest view", async () => {
  const page = await pages.open("/automate");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText(`Signed in as ${email}`).waitFor();
  const jobs = await page.context().newPage();
  await jobs.goto("/jobs");
  await jobs.getByText(`Of ${email}`).waitFor();
  // The header of each working page shows who is signed in.
  await jobs.getByRole("banner").getByRole("link", { name: email }).waitFor();
  await page.getByRole("banner").getByRole("link", { name: email }).waitFor();
  const elsewhere = openBrowserClient(pages.server.url);
  await elsewhere.ask("POST", "/web/v1/sign-in", { email, password });
  expect((await elsewhere.ask("POST", "/web/v1/sign-out-everywhere")).status).toBe(204);
  await jobs.getByText("Converted in this browser, as a guest.").waitFor();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await jobs.getByRole("banner").getByRole("link", { name: email }).count()).toBe(0);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test.each(["/", "/jobs", "/automate", "/docs", "/docs/formats", "/docs/errors"])(
  "%s can be read at 200 % and 400 % zoom and in forced colours",
  async (path) => {
    const page = await pages.open(path, { viewport: { width: 640, height: 400 }, forcedColors: "active" });
    await page.locator("h1").waitFor();
    // Equivalent to 200 % and 400 % zoom in a window 1280 pixels wide (WCAG 2.2, 1.4.10).
    for (const width of [640, 320]) {
      await page.setViewportSize({ width, height: 400 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle);
    expect(outline).not.toBe("none");
    expect(page.faults).toEqual([]);
    await page.context().close();
  },
);

test.each(["de", "ru"])("the navigation fits on a phone in %s", async (locale) => {
  const page = await pages.open("/", { ...phone, locale });
  expect(await page.evaluate(() => document.documentElement.lang)).toBe(locale);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  await page.context().close();
});

test("nothing is animated for users who prefer reduced motion", async () => {
  const page = await pages.open("/", { reducedMotion: "reduce" });
  await page.locator("input[type=file]").setInputFiles([pngFile("a.png")]);
  await page.getByRole("button", { name: "Convert to JPG" }).waitFor();
  const moving = await page.evaluate(() => document.getAnimations().filter((each) => Number(each.effect?.getTiming().duration) > 1).length);
  expect(moving).toBe(0);
  await page.context().close();
});
