import { expect, test } from "vitest";
import { png } from "#test/gateway/samples.ts";
import { openBrowser } from "#test/harness/browser.ts";
import { startServer, withoutOffice } from "#test/harness/server.ts";
import { seriousFindings } from "./accessibility.ts";

test("files over a guest's rate limit wait, say so, and start automatically", { timeout: 240_000 }, async () => {
  await using server = await startServer(withoutOffice);
  await using browser = await openBrowser(server.url);
  const page = await browser.open("/");
  const refusals: number[] = [];
  page.on("response", (response) => void (response.status() === 429 && refusals.push(response.status())));
  const files = Array.from({ length: 14 }, (_, index) => ({ name: `${index}.png`, mimeType: "image/png", buffer: Buffer.from(png) }));
  await page.locator("input[type=file]").setInputFiles(files);
  await page.getByRole("button", { name: "Convert all 14" }).click();
  await page.getByText(/The rate limit is 10 conversions per minute. 4 files will start automatically/).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  // At most those that were in progress when the first one was refused.
  expect(refusals.length).toBeLessThanOrEqual(3);
  await page.getByText("14 files · 14 done").waitFor({ timeout: 150_000 });
  expect(refusals.length).toBeLessThanOrEqual(3);
  expect(await page.getByText(/conversions per minute/).count()).toBe(0);
  expect(page.faults).toEqual([]);
});
