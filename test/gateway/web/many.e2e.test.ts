/** Forty files from a folder on a phone, hundreds on a desktop, and what survives a reload. */
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { png } from "#test/gateway/samples.ts";
import { phone, type TestPage } from "#test/harness/browser.ts";
import { withPages } from "#test/harness/pages.ts";
import { startServer } from "#test/harness/server.ts";
import { seriousFindings } from "./accessibility.ts";

const run = promisify(execFile);
const plan = { maxInputMb: 25, requestsPerMinute: 100_000, maxUnfinishedJobs: 5, retentionSeconds: 3600 };
const card = (page: TestPage, name: string) => page.getByRole("listitem", { name, exact: true });
const files = (page: TestPage) => page.getByRole("list", { name: "Files" });
const pngFile = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.from(png) });

const pages = withPages(() => startServer({}, { free: { ...plan, apiAccess: false }, plus: { ...plan, apiAccess: true } }));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-many-"));
  await mkdir(join(folder, "trip/summer/lake"), { recursive: true });
  const photo = await sharp({ create: { width: 160, height: 120, channels: 3, background: "#258" } })
    .jpeg()
    .toBuffer();
  for (let n = 1; n <= 37; n++) await writeFile(join(folder, n % 2 === 0 ? "trip/summer" : "trip/summer/lake", `photo ${n}.jpg`), photo);
  for (const name of ["plan.docx", "list.docx"]) await copyFile("test/corpus/office/text.docx", join(folder, "trip", name));
  await writeFile(join(folder, "trip", "what.is-this"), "?");
  await writeFile(join(folder, "trip", ".DS_Store"), "of the system");
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** In the browser: how many files are stored, and how many of them have GIF as their target. */
const kept = (): Promise<[number, number]> =>
  new Promise((resolve) => {
    const opening = indexedDB.open("filemill");
    opening.onsuccess = () => {
      const all = opening.result.transaction("facts").objectStore("facts").getAll();
      all.onsuccess = () => {
        opening.result.close();
        resolve([all.result.length, all.result.filter(({ to }) => to === "gif").length]);
      };
    };
  });

async function chooseFolder(page: TestPage, path: string): Promise<void> {
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a folder" }).click();
  await (await choosing).setFiles(path);
}

test("converts a folder of forty files to PDF and WEBP on a phone and keeps its structure in the ZIP", async () => {
  const page = await pages.open("/", { ...phone, acceptDownloads: true });
  await chooseFolder(page, join(folder, "trip"));
  await card(page, "photo 37.jpg").waitFor();
  expect(await files(page).getByRole("listitem").count()).toBe(40);
  await page.getByLabel("Which files").selectOption("image (37)");
  await page.getByRole("button", { name: "WEBP", exact: true }).click();
  await page.getByLabel("Which files").selectOption("document (2)");
  await page.getByRole("button", { name: "PDF", exact: true }).click();
  await card(page, "plan.docx").getByText("to PDF").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Convert all 39" }).click();
  await page.getByText("40 files · 39 done").waitFor();
  // A note shared by thirty-seven files is shown once.
  await page.getByText(/^\d+ notes? on the results$/).click();
  expect(await page.getByText("If the picture contains its location (GPS), the result keeps it.").count()).toBeLessThanOrEqual(1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  expect(await seriousFindings(page)).toEqual([]);
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download all as ZIP" }).click();
  const archive = join(folder, "all.zip");
  await (await downloading).saveAs(archive);
  const names = (await run("unzip", ["-Z1", archive])).stdout.trim().split("\n");
  expect(names).toHaveLength(39);
  expect(names).toEqual(expect.arrayContaining(["trip/plan.pdf", "trip/summer/photo 2.webp", "trip/summer/lake/photo 37.webp"]));
  await run("unzip", ["-tq", archive]);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("converts forty photos and a folder of Office files to PDF on a phone, in German", async () => {
  await mkdir(join(folder, "Büro"));
  for (const name of ["text.docx", "sheet.xlsx", "slides.pptx", "text.doc"])
    await copyFile(join("test/corpus/office", name), join(folder, "Büro", name));
  const photo = (shade: number) =>
    sharp({ create: { width: 160, height: 120, channels: 3, background: { r: shade * 6, g: 80, b: 120 } } })
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer();
  const photos = Array.from({ length: 40 }, async (_, n) => ({
    ...{ name: `IMG_${1000 + n}.jpg`, mimeType: "image/jpeg", buffer: await photo(n) },
  }));
  const page = await pages.open("/", { ...phone, locale: "de-DE", acceptDownloads: true });
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles(await Promise.all(photos));
  await card(page, "IMG_1039.jpg").waitFor();
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Ordner wählen" }).click();
  await (await choosing).setFiles(join(folder, "Büro"));
  await card(page, "slides.pptx").waitFor();
  await page.getByRole("group").getByRole("button", { name: "PDF", exact: true }).click();
  expect([await fits(), await seriousFindings(page)]).toEqual([true, []]);
  await page.getByRole("button", { name: "Alle 44 umwandeln" }).click();
  await page.getByText("44 Dateien · 44 fertig").waitFor({ timeout: 180_000 });
  expect([await fits(), await seriousFindings(page)]).toEqual([true, []]);
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Alle als ZIP herunterladen" }).click();
  const archive = join(folder, "alle.zip");
  await (await downloading).saveAs(archive);
  const names = (await run("unzip", ["-Z1", archive])).stdout.trim().split("\n");
  expect(names.filter((name) => /^IMG_10\d\d\.pdf$/.test(name))).toHaveLength(40);
  expect(names.filter((name) => /^B\W*ro\/\w+( \(2\))?\.pdf$/.test(name))).toHaveLength(4);
  const { stdout } = await run("unzip", ["-p", archive, "IMG_1000.pdf"], { encoding: "buffer" });
  expect(stdout.subarray(0, 5).toString()).toBe("%PDF-");
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("a dropped folder adds its files with their paths", async () => {
  const page = await pages.open("/");
  await page.getByText("Drop files here").waitFor();
  const hand = await page.context().newCDPSession(page);
  const data = { items: [], files: [join(folder, "trip")], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) await hand.send("Input.dispatchDragEvent", { type, x: 400, y: 300, data });
  await card(page, "photo 36.jpg").getByText("trip/summer ·").waitFor();
  expect(await files(page).getByRole("listitem").count()).toBe(40);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("assigns one target to all files that support it and explains the rest", async () => {
  const page = await pages.open("/");
  const text = { name: "song.srt", mimeType: "application/x-subrip", buffer: Buffer.from("1\n00:00:01,000 --> 00:00:02,000\nla\n") };
  await page
    .locator("input[type=file]")
    .setInputFiles([pngFile("a.png"), pngFile("b.png"), text, { name: "c.webp", mimeType: "image/webp", buffer: Buffer.from("x") }]);
  await page.getByRole("button", { name: "More formats" }).click();
  await page.getByRole("combobox", { name: "Search formats" }).fill("webp");
  await page.keyboard.press("Enter");
  await page.getByText("2 files convert to WEBP.").waitFor();
  await page.getByText("1 file is already WEBP: c.webp").waitFor();
  await page.getByText("SRT cannot be converted to WEBP: song.srt").waitFor();
  expect(await card(page, "song.srt").getByRole("radio", { checked: true }).count()).toBe(0);
  await page.getByRole("button", { name: "Convert all 2" }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("handles 400 files: thumbnails only for visible rows, and all are kept across a reload", async () => {
  const page = await pages.open("/");
  const drawn = () => page.locator(".thumbnail-drawn").count();
  await page.locator("input[type=file]").setInputFiles(Array.from({ length: 400 }, (_, n) => pngFile(`${n}.png`)));
  await page.getByRole("button", { name: "Convert all 400" }).waitFor();
  await expect.poll(drawn).toBeGreaterThan(3);
  expect(await drawn()).toBeLessThan(60);
  await card(page, "399.png").scrollIntoViewIfNeeded();
  await expect.poll(() => card(page, "399.png").locator(".thumbnail-drawn").count()).toBe(1);
  expect(await drawn()).toBeLessThan(120);
  await card(page, "399.png").getByRole("button", { name: "Details of 399.png" }).click();
  await card(page, "399.png").getByRole("radio", { name: "GIF" }).check();
  await expect.poll(() => page.evaluate(kept)).toEqual([400, 1]);
  await page.reload();
  await page.getByRole("button", { name: "Convert all 400" }).waitFor();
  await card(page, "399.png").getByText("to GIF").waitFor();
  expect(await files(page).locator(".item-name").first().textContent()).toBe("0.png");
  await card(page, "399.png").getByRole("button", { name: "Details of 399.png" }).click();
  await card(page, "399.png").getByRole("button", { name: "Convert to GIF" }).click();
  await card(page, "399.png").getByRole("link", { name: "Download 399.gif" }).first().waitFor();
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("a duplicated tab starts empty, and the original keeps its files across a reload", async () => {
  const page = await pages.open("/");
  await page.locator("input[type=file]").setInputFiles([pngFile("a.png")]);
  await expect.poll(() => page.evaluate(kept)).toEqual([1, 0]);
  const opening = page.waitForEvent("popup");
  // As after duplicating a tab, the new one starts with a copy of the session storage.
  await page.evaluate(() => void open("/"));
  const twin = await opening;
  await twin.getByRole("button", { name: "Choose a folder" }).waitFor();
  expect(await twin.evaluate(() => sessionStorage.getItem("filemill.window"))).not.toBe(
    await page.evaluate(() => sessionStorage.getItem("filemill.window")),
  );
  expect(await twin.getByText("a.png").count()).toBe(0);
  await page.reload();
  await card(page, "a.png").waitFor();
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("converts a file over plain HTTP, where randomUUID, locks and service workers are unavailable", async () => {
  const page = await pages.open("/docs");
  await page.addInitScript(() => {
    Reflect.deleteProperty(Crypto.prototype, "randomUUID");
    Reflect.deleteProperty(Navigator.prototype, "serviceWorker");
    Reflect.deleteProperty(Navigator.prototype, "clipboard");
    Reflect.deleteProperty(Navigator.prototype, "locks");
  });
  await page.goto("/");
  await page.locator("input[type=file]").setInputFiles([pngFile("a.png")]);
  await card(page, "a.png")
    .getByRole("button", { name: /^Convert to/ })
    .click();
  await card(page, "a.png")
    .getByRole("link", { name: /^Download a\./ })
    .waitFor();
  expect(page.faults).toEqual([]);
  await page.context().close();
});
