import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { treeOf } from "#services/conversion/sandbox/usage.ts";
import { png } from "#test/gateway/samples.ts";
import { phone, type TestPage } from "#test/harness/browser.ts";
import { withPages } from "#test/harness/pages.ts";
import { startServer } from "#test/harness/server.ts";
import { processesWith } from "#test/services/conversion/sandbox/host.ts";
import { seriousFindings } from "./accessibility.ts";

const run = promisify(execFile);
const plan = { maxInputMb: 25, requestsPerMinute: 1000, maxUnfinishedJobs: 5, retentionSeconds: 3600 };
const docx = "test/corpus/office/text.docx";

const pages = withPages(() => startServer({}, { free: { ...plan, apiAccess: false }, plus: { ...plan, apiAccess: true } }));
let folder: string;
let film: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-converter-"));
  film = join(folder, "clip.mp4");
  // Large enough for its conversion to be observed.
  const source = ["-f", "lavfi", "-i", "testsrc2=size=854x480:rate=25:duration=9", "-pix_fmt", "yuv420p"];
  await run("ffmpeg", ["-v", "error", ...source, "-c:v", "libx264", "-preset", "ultrafast", film]);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function choose(page: TestPage, ...files: readonly (string | { name: string; mimeType: string; buffer: Buffer })[]): Promise<void> {
  await page.locator("input[type=file]").setInputFiles(files as string[]);
}

const card = (page: TestPage, name: string) => page.getByRole("listitem", { name, exact: true });
const pngFile = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.from(png) });

function signalEncoder(name: NodeJS.Signals): void {
  const own = new Set(treeOf(pages.server.child.pid ?? 0));
  const encoders = processesWith("/usr/bin/ffmpeg").filter((pid) => own.has(pid));
  expect(encoders).not.toEqual([]);
  for (const pid of encoders) process.kill(pid, name);
}

test("a guest converts a document: target, options, result, preview, download", async () => {
  const page = await pages.open("/");
  await choose(page, docx);
  const item = card(page, "text.docx");
  expect(await item.getByRole("radio", { name: "PDF" }).isChecked()).toBe(true);
  await item.getByText("High fidelity").waitFor();
  await item.getByText("Options").click();
  await item.getByLabel("Pages").fill("1");
  await item.getByText("1 changed").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await item.getByRole("button", { name: "Convert to PDF" }).click();
  await item.getByRole("link", { name: "Download text.pdf" }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await item.getByRole("button", { name: "Preview" }).click();
  const frame = page.getByTitle("Preview of text.pdf");
  await frame.waitFor();
  // The browser's built-in viewer cannot be queried, but ink on white paper can be detected.
  await expect
    .poll(
      async () => {
        const { channels, entropy } = await sharp(await frame.screenshot()).stats();
        return entropy > 0.3 && (channels[0]?.mean ?? 0) > 128;
      },
      { timeout: 40_000 },
    )
    .toBe(true);
  const downloading = page.waitForEvent("download");
  await item.getByRole("link", { name: "Download text.pdf" }).click();
  const saved = join(folder, "text.pdf");
  await (await downloading).saveAs(saved);
  expect((await run("pdfinfo", [saved])).stdout).toMatch(/Pages: +1\n/);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("converts a protected document after asking for its password", async () => {
  const page = await pages.open("/");
  await choose(page, "test/corpus/protected/protected.docx");
  const item = card(page, "protected.docx");
  await item.getByRole("button", { name: "Convert to PDF" }).click();
  await item.getByText("The file is protected by a password.").waitFor();
  await item.getByLabel("Password of the file").fill("another");
  await item.getByRole("button", { name: "Unlock and convert" }).click();
  await item.getByText("The password is wrong").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await item.getByLabel("Password of the file").fill("grün 7!");
  await item.getByRole("button", { name: "Unlock and convert" }).click();
  await item.getByRole("link", { name: "Download protected.pdf" }).waitFor();
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("shows what may be lost for the chosen target before converting", async () => {
  const page = await pages.open("/");
  await choose(page, pngFile("see-through.png"));
  const item = card(page, "see-through.png");
  const notes = item.getByRole("list", { name: "What to expect" });
  await item.getByRole("radio", { name: "JPG" }).check();
  await notes.getByText("Any transparency is flattened onto a background colour.").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await item.getByRole("radio", { name: "WEBP" }).check();
  await notes.getByText("If the picture contains its location (GPS), the result keeps it.").waitFor();
  expect(await notes.getByText("Transparency").count()).toBe(0);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("previews the first page as an image if the browser cannot show PDFs, without adding a job", async () => {
  const page = await pages.open("/jobs");
  await page.addInitScript(() => Object.defineProperty(navigator, "pdfViewerEnabled", { value: false }));
  await page.goto("/");
  await choose(page, docx);
  const item = card(page, "text.docx");
  await item.getByRole("button", { name: "Convert to PDF" }).click();
  await item.getByRole("button", { name: "Preview" }).click();
  const picture = item.getByRole("img", { name: "First page of text.pdf" });
  await expect.poll(() => picture.evaluate((image) => ("naturalWidth" in image ? Number(image.naturalWidth) : 0))).toBeGreaterThan(300);
  await page.goto("/jobs");
  await page.getByText("text.docx").waitFor();
  expect(await page.locator(".job-row").count()).toBe(1);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("a video conversion shows progress, survives a reload and plays", { timeout: 360_000 }, async () => {
  const page = await pages.open("/");
  await choose(page, film);
  const item = card(page, "clip.mp4");
  await item.getByRole("radio", { name: "WEBM" }).check();
  await item.getByRole("button", { name: "Convert to WEBM" }).click();
  // Progress arrives with the job's events. Both are checked together, since neither lasts.
  const isUnderWay = () =>
    page.waitForFunction(() => {
      const isBegun = [...document.querySelectorAll("progress")].some(({ position }) => position > 0.05 && position < 1);
      return isBegun && /Converting to WEBM\s+\d+% · about .* left/.test(document.body.innerText);
    });
  await isUnderWay();
  // However fast the machine is, the page reloads in the middle of the conversion.
  signalEncoder("SIGSTOP");
  await page.reload();
  await isUnderWay();
  signalEncoder("SIGCONT");
  await item.getByRole("link", { name: "Download clip.webm" }).waitFor({ timeout: 240_000 });
  await expect
    .poll(() => item.locator("video").evaluate((video) => ("duration" in video ? Math.round(Number(video.duration)) : 0)))
    .toBe(9);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("a failure shows its reason, what to do and a link to the documentation", async () => {
  const page = await pages.open("/");
  const broken = {
    name: "broken.png",
    mimeType: "image/png",
    buffer: Buffer.concat([Buffer.from(png).subarray(0, 40), Buffer.alloc(400)]),
  };
  await choose(page, broken, { name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) });
  await card(page, "empty.txt").getByText("The file is empty.").waitFor();
  expect(await card(page, "empty.txt").getByRole("radio").count()).toBe(0);
  expect(
    await card(page, "empty.txt")
      .getByRole("button", { name: /^Convert/ })
      .count(),
  ).toBe(0);
  const item = card(page, "broken.png");
  await item.getByRole("button", { name: /^Convert to/ }).click();
  await page.getByRole("status").filter({ hasText: "broken.png: " }).waitFor({ state: "attached" });
  expect(await seriousFindings(page)).toEqual([]);
  const link = item.getByRole("link", { name: /^What [A-Z_]+ means$/ });
  expect(await link.getAttribute("href")).toBe("/docs/errors#INVALID_INPUT");
  await item.getByRole("button", { name: "Try again" }).click();
  await item.getByRole("button", { name: /^Convert to/ }).waitFor();
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("files over the plan's limit or of unknown format are reported before they are sent", async () => {
  const page = await pages.open("/");
  const sent: string[] = [];
  page.on("request", (request) => void sent.push(request.url()));
  const big = join(folder, "big.png");
  await writeFile(big, Buffer.alloc(26_000_000, 1));
  await choose(page, big);
  await card(page, "big.png")
    .getByText(/over your plan’s limit of 25 MB/)
    .waitFor();
  await choose(page, { name: "what.is-this", mimeType: "", buffer: Buffer.from("?") });
  await card(page, "what.is-this").getByRole("button", { name: "Choose its format" }).click();
  await page.getByRole("combobox").fill("plain text");
  await page.keyboard.press("Enter");
  await card(page, "what.is-this").getByText("Plain text").waitFor();
  expect(sent.filter((url) => url.includes("/convert"))).toEqual([]);
  await page.context().close();
});

test("converts many files in parallel and downloads them as one ZIP", async () => {
  const page = await pages.open("/", { acceptDownloads: true });
  const names = ["a.png", "b.png", "c.png", "d.png", "e.png", "a.png"];
  await choose(page, ...names.map(pngFile));
  await page.getByRole("button", { name: "Convert all 6" }).click();
  await page.getByText("6 files · 6 done").waitFor();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download all as ZIP" }).click();
  const archive = join(folder, "all.zip");
  await (await downloading).saveAs(archive);
  const { stdout } = await run("unzip", ["-Z1", archive]);
  expect(stdout.trim().split("\n").toSorted()).toEqual(["a (2).jpg", "a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg"]);
  await run("unzip", ["-tq", archive]);
  await page.getByRole("button", { name: "Clear finished" }).click();
  await page.getByText("Drop files here").waitFor();

  await page.goto("/jobs");
  const rows = page.locator(".job-row");
  await expect.poll(() => rows.count()).toBe(6);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Delete e.png" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect.poll(() => rows.count()).toBe(5);
  await page.getByLabel("Show").selectOption("failed");
  await page.getByText("You have no failed jobs.").waitFor();
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("works with the keyboard alone", async () => {
  const page = await pages.open("/");
  await page.locator(".file-button").waitFor();
  const focused = () =>
    page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");
  const tabTo = async (wanted: () => Promise<boolean>) => {
    for (let steps = 0; steps < 40; steps++) {
      if (await wanted()) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`the focus never came there; it is at ${await focused()}`);
  };
  const isAt = (selector: string) => () => page.evaluate((css) => document.activeElement?.matches(css) === true, selector);
  await page.keyboard.press("Tab");
  expect(await focused()).toBe("Skip to content");
  await page.keyboard.press("Enter");
  // Registered first, or the browser would open its own dialog.
  const choosing = page.waitForEvent("filechooser");
  await tabTo(isAt("input[type=file]"));
  await page.keyboard.press("Enter");
  await (await choosing).setFiles([pngFile("dot.png")]);
  await card(page, "dot.png").getByRole("radio").first().waitFor();
  await tabTo(isAt("input[type=radio]"));
  await page.keyboard.press("ArrowRight");
  await card(page, "dot.png").getByRole("button", { name: "Convert to WEBP" }).waitFor();
  await tabTo(isAt(".chip-button"));
  await page.keyboard.press("Enter");
  await expect.poll(focused).toBe("Search formats");
  await page.keyboard.type("avif");
  await page.keyboard.press("Enter");
  await expect.poll(focused).toMatch(/^All \d+ formats$/);
  await tabTo(async () => (await focused()) === "Convert to AVIF");
  await page.keyboard.press("Enter");
  await expect.poll(focused).toBe("Download dot.avif");
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("works on a phone in dark mode with a very long file name", async () => {
  const page = await pages.open("/", { ...phone, colorScheme: "dark" });
  const name = `${"quarterly-report-".repeat(10)}final.png`;
  await choose(page, pngFile(name));
  const item = card(page, name);
  await item.getByRole("button", { name: /All \d+ formats/ }).click();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("option", { name: /gif/i }).first().click();
  await item.getByRole("button", { name: "Convert to GIF" }).click();
  await item.getByRole("link", { name: /^Download/ }).waitFor();
  await expect
    .poll(() => item.getByRole("img", { name: /^Preview/ }).evaluate((image) => "naturalWidth" in image && image.naturalWidth))
    .toBe(1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  expect(await seriousFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
  await page.context().close();
});
