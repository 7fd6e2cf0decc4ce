/** Results that the page itself draws: fonts by their letters, maps by their outlines. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, type TestBrowser, type TestPage } from "#test/harness/browser.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";
import { seriousFindings } from "./accessibility.ts";

let server: TestServer;
let browser: TestBrowser;
beforeAll(async () => {
  server = await startServer();
  browser = await openBrowser(server.url);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function previewed(page: TestPage, path: string, to: string) {
  const name = path.split("/").at(-1) ?? "";
  await page.locator("input[type=file]").setInputFiles([{ name, mimeType: "", buffer: await readFile(`test/corpus/${path}`) }]);
  const item = page.getByRole("listitem", { name, exact: true });
  await item.getByRole("radio", { name: to, exact: true }).check();
  await item.getByRole("button", { name: `Convert to ${to}` }).click();
  await item.getByRole("button", { name: "Preview" }).click({ timeout: 60_000 });
  return item;
}

test("a font is shown by its letters, and writes what its reader types", async () => {
  const page = await browser.open("/");
  const item = await previewed(page, "typical/font/typical.ttf", "WOFF2");
  const specimen = item.getByRole("region", { name: "Preview of typical.woff2" });
  await specimen.getByText("ABCDEFGHIJKLMNOPQRSTUVWXYZ").first().waitFor();
  expect(await page.evaluate(() => [...document.fonts].some(({ family, status }) => family === "specimen-1" && status === "loaded"))).toBe(
    true,
  );
  await item.getByLabel("Your own text").fill("Hamburgefonts");
  expect(await specimen.getByText("Hamburgefonts").count()).toBe(3);
  expect(await seriousFindings(page)).toEqual([]);
  await page.context().close();
});

test("a map is drawn by its outlines, above its text", async () => {
  const page = await browser.open("/");
  const item = await previewed(page, "typical/geo/typical.kml", "GEOJSON");
  const drawing = item.getByRole("img", { name: "Preview of typical.geojson" });
  await drawing.waitFor();
  expect(
    await drawing.evaluate((svg) => svg.querySelectorAll("circle").length + (svg.querySelector("path")?.getAttribute("d")?.length ?? 0)),
  ).toBeGreaterThan(0);
  await item.getByText('"FeatureCollection"').first().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.context().close();
});
