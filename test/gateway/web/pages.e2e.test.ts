import { expect, test } from "vitest";
import { phone } from "#test/harness/browser.ts";
import { withPages } from "#test/harness/pages.ts";
import { findings } from "./accessibility.ts";

const MAX_FIRST_LOAD_BYTES = 100_000;
const paths = ["/", "/jobs", "/automate", "/docs", "/docs/formats", "/docs/errors", "/no-such-page"];

const pages = withPages();

/** An element that appears once the page is complete. */
const signs: Readonly<Record<string, string>> = { "/": ".file-button", "/jobs": ".jobs-head", "/automate": ".sign-in" };

/** In the browser: targets too small for touch (WCAG 2.2, 2.5.8). */
const tooSmall = (targets: Element[]): string[] =>
  targets.filter((target) => target.getBoundingClientRect().height < 24).map((target) => target.textContent ?? "");

test.each(paths)("%s loads in under 100 KB, fits on a phone and passes axe in both themes", async (path) => {
  const page = await pages.open(path, { ...phone, colorScheme: "light" });
  await page.waitForSelector(signs[path] ?? "h1");
  const { width, bytes, requests } = await page.evaluate(() => {
    const entries = performance.getEntries().filter((entry) => "transferSize" in entry);
    const sizes = entries.map((entry) => Number("transferSize" in entry ? entry.transferSize : 0));
    return { width: document.documentElement.scrollWidth, bytes: sizes.reduce((sum, size) => sum + size, 0), requests: sizes.length };
  });
  expect(width).toBeLessThanOrEqual(375);
  expect(requests).toBeGreaterThan(2);
  expect(bytes).toBeGreaterThan(5000);
  expect(bytes).toBeLessThan(MAX_FIRST_LOAD_BYTES);
  expect(await page.locator("summary:visible, button:visible").evaluateAll(tooSmall)).toEqual([]);
  expect(await findings(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await findings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("violations of the content security policy are reported as page faults", async () => {
  const page = await pages.open("/docs");
  await page.evaluate(() => {
    document.body.insertAdjacentHTML("beforeend", '<p style="color: red"></p><img src="https://example.invalid/x.png" alt="">');
  });
  await expect.poll(() => page.faults.length).toBeGreaterThan(1);
  await page.context().close();
});

test("without JavaScript, the pages show how to use the API at this server's address", async () => {
  for (const path of ["/", "/jobs", "/automate"]) {
    const page = await pages.open(path, { javaScriptEnabled: false });
    expect(await page.locator("noscript").innerText()).toContain(`${pages.server.url}/api/v1/convert?download=wait`);
    for (const useless of await page.locator(".needs-script").all()) expect(await useless.isVisible()).toBe(false);
    await page.context().close();
  }
  const docs = await pages.open("/docs/formats", { javaScriptEnabled: false });
  expect(await docs.locator("[data-format]").count()).toBeGreaterThan(100);
  expect(await docs.locator("#format-search").isVisible()).toBe(false);
  await docs.context().close();
});

test("the theme follows the system, can be toggled, and is remembered", async () => {
  const page = await pages.open("/docs", { colorScheme: "light" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole("button", { name: "Dark theme" }).click();
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.reload();
  expect(await background()).toBe(dark);
  expect(await page.getByRole("button", { name: "Dark theme" }).getAttribute("aria-pressed")).toBe("true");
  await page.getByRole("button", { name: "Dark theme" }).click();
  expect(await page.evaluate(() => localStorage.getItem("filemill.theme"))).toBeNull();
  await page.context().close();
});

test("finds formats by name, and a route by its pair of formats", async () => {
  const page = await pages.open("/docs/formats");
  await page.getByRole("searchbox").fill("jpeg");
  await expect.poll(() => page.locator("[data-format=mp4]").isVisible()).toBe(false);
  const shown = await page.locator("[data-format]:visible").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-format")));
  expect(shown).toContain("jpg");
  await page.getByRole("searchbox").fill("png to webp");
  await expect.poll(() => page.locator("#format-pair").innerText()).toMatch(/png to webp[\s\S]*By sharp[\s\S]*quality/);
  await page.getByRole("searchbox").fill("");
  await page.locator("[data-format=csv] button").click();
  await page.getByRole("region", { name: "Conversions from csv" }).waitFor();
  expect(await page.getByRole("region", { name: "Conversions from csv" }).innerText()).toContain("json");
  await page.context().close();
});

test("every link within the documentation resolves", async () => {
  const page = await pages.open("/docs");
  const linksOf = () =>
    page.locator("main a[href^='/docs'], main a[href^='#']").evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  const links = new Set(await linksOf());
  expect(links.size).toBeGreaterThan(40);
  const anchorsOf = async (path: string) => {
    await page.goto(path);
    return new Set(await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id)));
  };
  const anchors = new Map([
    ["/docs", await anchorsOf("/docs")],
    ["/docs/errors", await anchorsOf("/docs/errors")],
    ["/docs/formats", await anchorsOf("/docs/formats")],
  ]);
  const broken = [...links].filter((link) => {
    const [path = "", anchor] = link.split("#");
    const found = anchors.get(path === "" ? "/docs" : path);
    return found === undefined || (anchor !== undefined && !found.has(anchor));
  });
  expect(broken).toEqual([]);
  await page.context().close();
});
