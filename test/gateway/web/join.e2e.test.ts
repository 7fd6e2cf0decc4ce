import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { png } from "#test/gateway/samples.ts";
import { openBrowser, type TestPage } from "#test/harness/browser.ts";
import { startServer } from "#test/harness/server.ts";
import { seriousFindings } from "./accessibility.ts";

const run = promisify(execFile);
const card = (page: TestPage, name: string) => page.getByRole("listitem", { name, exact: true });
const pngFile = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.from(png) });

test("files become one in the order that they are moved into, by keyboard and by dragging", async () => {
  await using server = await startServer();
  await using browser = await openBrowser(server.url);
  const folder = await mkdtemp(join(tmpdir(), "filemill-join-"));
  const page = await browser.open("/", { viewport: { width: 1200, height: 2400 } });
  await page.locator("input[type=file]").setInputFiles([pngFile("b.png"), pngFile("c.png"), pngFile("a.png")]);
  const names = () => page.getByRole("list", { name: "Files" }).locator(".item-name").allTextContents();
  await card(page, "c.png").getByRole("button", { name: "Move c.png up" }).press("Enter");
  expect(await names()).toEqual(["c.png", "b.png", "a.png"]);
  await card(page, "a.png").locator(".item-name").dragTo(card(page, "c.png").locator(".item-name"));
  await expect.poll(names).toEqual(["a.png", "c.png", "b.png"]);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Join 3 into one" }).click();
  const joined = card(page, "3 files.zip");
  await joined.getByRole("button", { name: "Convert to PDF" }).click();
  const downloading = page.waitForEvent("download");
  await joined.getByRole("link", { name: "Download 3 files.pdf" }).click();
  const saved = join(folder, "joined.pdf");
  await (await downloading).saveAs(saved);
  expect((await run("pdfinfo", [saved])).stdout).toMatch(/Pages: +3\n/);
  expect(page.faults).toEqual([]);
  await page.context().close();
  await rm(folder, { recursive: true });
});
