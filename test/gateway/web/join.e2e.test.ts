import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { expect, test } from "vitest";
import type { TestPage } from "#test/harness/browser.ts";
import { withPages } from "#test/harness/pages.ts";
import { seriousFindings } from "./accessibility.ts";

const run = promisify(execFile);
const card = (page: TestPage, name: string) => page.getByRole("listitem", { name, exact: true });

/** Recognisable by its shape wherever it appears. */
async function picture(name: string, width: number) {
  const image = sharp({ create: { width, height: 100, channels: 3, background: "#f00" } });
  return { name, mimeType: "image/png", buffer: await image.png().toBuffer() };
}

const pages = withPages();

test("joins files in the order set by keyboard and drag and drop", async () => {
  const folder = await mkdtemp(join(tmpdir(), "filemill-join-"));
  const page = await pages.open("/", { viewport: { width: 1200, height: 2400 } });
  const pictures = await Promise.all([picture("b.png", 200), picture("c.png", 300), picture("a.png", 400)]);
  await page.locator("input[type=file]").setInputFiles(pictures);
  const names = () => page.getByRole("list", { name: "Files" }).locator(".item-name").allTextContents();
  await card(page, "c.png").getByRole("button", { name: "Move c.png up" }).press("Enter");
  expect(await names()).toEqual(["c.png", "b.png", "a.png"]);
  await card(page, "a.png").locator(".item-name").dragTo(card(page, "c.png").locator(".item-name"));
  await expect.poll(names).toEqual(["a.png", "c.png", "b.png"]);
  await card(page, "c.png").getByRole("button", { name: "Move c.png down" }).press("Enter");
  await card(page, "a.png").getByRole("button", { name: "Move a.png down" }).press("Enter");
  expect(await names()).toEqual(["b.png", "a.png", "c.png"]);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Join 3 into one" }).click();
  const joined = card(page, "3 files.zip");
  await joined.getByRole("button", { name: "Convert to PDF" }).click();
  const downloading = page.waitForEvent("download");
  await joined.getByRole("link", { name: "Download 3 files.pdf" }).click();
  const saved = join(folder, "joined.pdf");
  await (await downloading).saveAs(saved);
  const { stdout } = await run("pdfinfo", ["-f", "1", "-l", "3", saved]);
  const shapes = [...stdout.matchAll(/^Page +\d+ size: +([\d.]+) x ([\d.]+)/gm)].map(([, width, height]) => Number(width) / Number(height));
  expect(shapes.map((shape) => Math.round(shape))).toEqual([2, 4, 3]);
  expect(page.faults).toEqual([]);
  await page.context().close();
  await rm(folder, { recursive: true });
});

test("keeps the files in the list if one is started while they are being packed", async () => {
  const page = await pages.open("/");
  // Packing lasts until the test lets it finish.
  await page.evaluate(() => {
    const { blob } = Response.prototype;
    Response.prototype.blob = async function (this: Response) {
      await new Promise((resolve) => window.addEventListener("packed", resolve, { once: true }));
      return await blob.call(this);
    };
  });
  const pictures = await Promise.all([picture("a.png", 100), picture("b.png", 100), picture("c.png", 100)]);
  await page.locator("input[type=file]").setInputFiles(pictures);
  await page.getByRole("button", { name: "Join 3 into one" }).click();
  await page.getByRole("button", { name: "Packing…" }).waitFor();
  expect(await page.getByRole("button", { name: "Convert all 3" }).isDisabled()).toBe(true);
  await card(page, "b.png").getByRole("button", { name: "Convert to JPG" }).click();
  await card(page, "b.png").getByRole("link", { name: "Download b.jpg" }).waitFor();
  await page.evaluate(() => window.dispatchEvent(new Event("packed")));
  await page.getByText("A file was started or removed while the files were being packed.").waitFor();
  expect(await page.getByRole("list", { name: "Files" }).locator(".item-name").allTextContents()).toEqual(["a.png", "b.png", "c.png"]);
  expect(page.faults).toEqual([]);
  await page.context().close();
});
