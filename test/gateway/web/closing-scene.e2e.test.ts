/** What people do with files besides changing their format, each as a first-time visitor. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestPage } from "#test/harness/browser.ts";
import { withPages } from "#test/harness/pages.ts";
import { startServer } from "#test/harness/server.ts";
import { seriousFindings } from "./accessibility.ts";

const run = promisify(execFile);
const plan = { maxInputMb: 25, requestsPerMinute: 1000, maxUnfinishedJobs: 5, retentionSeconds: 3600 };
const card = (page: TestPage, name: string) => page.getByRole("listitem", { name, exact: true });

const pages = withPages(() => startServer({}, { free: { ...plan, apiAccess: false }, plus: { ...plan, apiAccess: true } }));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-scene-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function resultOf(page: TestPage, name: string, result: string): Promise<string> {
  const downloading = page.waitForEvent("download");
  await card(page, name)
    .getByRole("link", { name: `Download ${result}` })
    .first()
    .click();
  const saved = join(folder, `saved ${result}`);
  await (await downloading).saveAs(saved);
  return saved;
}

/** A scanned page: text on paper with grain, 300 dpi. */
async function scan(): Promise<string> {
  const lines = ["Harvest report of the old mill", "Wheat and barley were ground", "before the river froze"];
  const texts = lines.map((line, at) => `<text x="150" y="${250 + at * 160}" font-family="DejaVu Sans" font-size="72">${line}</text>`);
  const letters = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="1400" height="800">${texts.join("")}</svg>`);
  const paper = sharp({
    create: { width: 1400, height: 800, channels: 3, background: "#fff", noise: { type: "gaussian", mean: 235, sigma: 8 } },
  });
  const picture = await paper
    .composite([{ input: letters }])
    .jpeg({ quality: 97 })
    .toBuffer();
  const page = await pages.open("/");
  await page.goto("about:blank");
  const look = "@page { size: 14cm 8cm; margin: 0 } body { margin: 0 } img { display: block; width: 14cm }";
  await page.setContent(`<style>${look}</style><img src="data:image/jpeg;base64,${picture.toString("base64")}" alt="">`);
  const pdf = join(folder, "scan.pdf");
  await page.pdf({ path: pdf, preferCSSPageSize: true, tagged: false, pageRanges: "1" });
  await page.context().close();
  return pdf;
}

test("makes a scan searchable and less than a third of its size", async () => {
  const source = await scan();
  expect((await run("pdftotext", [source, "-"])).stdout.trim()).toBe("");
  const page = await pages.open("/");
  await page.locator("input[type=file]").setInputFiles(source);
  const item = card(page, "scan.pdf");
  await item.getByRole("radio", { name: "PDF, changed" }).check();
  await item.getByLabel("Recognise text", { exact: true }).selectOption("auto");
  await item.getByLabel("Make smaller").selectOption("ebook");
  await item.getByRole("button", { name: "Change this PDF" }).click();
  const saved = await resultOf(page, "scan.pdf", "scan.pdf");
  expect((await run("pdftotext", [saved, "-"])).stdout).toMatch(/Harvest report[\s\S]*barley[\s\S]*froze/);
  expect((await stat(saved)).size * 3).toBeLessThan((await stat(source)).size);
  await page.context().close();
});

test("resizes all photos of a folder at once", async () => {
  await mkdir(join(folder, "photos"));
  for (const name of ["a", "b", "c"])
    await sharp({ create: { width: 400, height: 300, channels: 3, background: "#269" } }).toFile(join(folder, "photos", `${name}.jpg`));
  const page = await pages.open("/");
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a folder" }).click();
  await (await choosing).setFiles(join(folder, "photos"));
  const first = card(page, "a.jpg");
  await first.getByRole("radio", { name: "JPG, changed" }).check();
  await first.getByLabel("Width").fill("100");
  await first.getByRole("button", { name: "Same for all jpg files" }).click();
  await page.getByRole("button", { name: "Convert all 3" }).click();
  await page.getByText("3 files · 3 done").waitFor();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download all as ZIP" }).click();
  const archive = join(folder, "photos.zip");
  await (await downloading).saveAs(archive);
  for (const name of ["a", "b", "c"]) {
    const { stdout } = await run("unzip", ["-p", archive, `photos/${name}.jpg`], { encoding: "buffer" });
    expect(await sharp(stdout).metadata()).toMatchObject({ format: "jpeg", width: 100, height: 75 });
  }
  await page.context().close();
});

test("joins five files into one PDF in an order set by keyboard", async () => {
  const page = await pages.open("/", { viewport: { width: 1200, height: 900 } });
  const pictures = [2, 3, 4, 5, 1].map(async (shape) => ({
    ...{ name: `${shape}.png`, mimeType: "image/png" },
    buffer: await sharp({ create: { width: shape * 100, height: 100, channels: 3, background: "#f00" } })
      .png()
      .toBuffer(),
  }));
  await page.locator("input[type=file]").setInputFiles(await Promise.all(pictures));
  const up = card(page, "1.png").getByRole("button", { name: "Move 1.png up" });
  await up.focus();
  for (let n = 0; n < 4; n++) await page.keyboard.press("Enter");
  expect(await page.getByRole("list", { name: "Files" }).locator(".item-name").allTextContents()).toEqual(
    [1, 2, 3, 4, 5].map((shape) => `${shape}.png`),
  );
  await page.getByRole("button", { name: "Join 5 into one" }).click();
  await card(page, "5 files.zip").getByRole("button", { name: "Convert to PDF" }).click();
  const saved = await resultOf(page, "5 files.zip", "5 files.pdf");
  const { stdout } = await run("pdfinfo", ["-f", "1", "-l", "5", saved]);
  const shapes = [...stdout.matchAll(/^Page +\d+ size: +([\d.]+) x ([\d.]+)/gm)].map(([, width, height]) => Number(width) / Number(height));
  expect(shapes.map((shape) => Math.round(shape))).toEqual([1, 2, 3, 4, 5]);
  await page.context().close();
});

test("prints a web page to PDF, both alone and zipped with its assets", async () => {
  const site = join(folder, "site");
  await mkdir(site);
  const body = "<p>Printed from a page</p>";
  await writeFile(join(site, "index.html"), `<!doctype html><link rel="stylesheet" href="look.css"><img src="dot.png" alt="">${body}`);
  await writeFile(join(site, "look.css"), "@page { size: 10cm 20cm } p { color: #c00 }");
  await sharp({ create: { width: 20, height: 20, channels: 3, background: "#00f" } }).toFile(join(site, "dot.png"));
  await run("zip", ["-qr", join(folder, "site.zip"), "."], { cwd: site });
  const page = await pages.open("/");
  const alone = { name: "alone.html", mimeType: "text/html", buffer: Buffer.from(`<!doctype html>${body}`) };
  await page.locator("input[type=file]").setInputFiles([alone]);
  await page.locator("input[type=file]").setInputFiles(join(folder, "site.zip"));
  await card(page, "site.zip")
    .getByRole("button", { name: /All \d+ formats/ })
    .click();
  await page.getByRole("combobox", { name: "Search formats" }).fill("pdf");
  await page.keyboard.press("Enter");
  await card(page, "alone.html").getByRole("radio", { name: "PDF" }).check();
  await page.getByRole("button", { name: "Convert all 2" }).click();
  const [own, whole] = [await resultOf(page, "alone.html", "alone.pdf"), await resultOf(page, "site.zip", "site.pdf")];
  for (const saved of [own, whole]) expect((await run("pdftotext", [saved, "-"])).stdout).toContain("Printed from a page");
  // Ten by twenty centimetres, as its own style says, with its image.
  expect((await run("pdfinfo", [whole])).stdout).toMatch(/Page size: +28[23](\.\d+)? x 56[67]/);
  expect((await run("pdfimages", ["-list", whole])).stdout.trim().split("\n").length).toBeGreaterThan(2);
  await page.context().close();
});

test("previews results by kind without running their scripts", async () => {
  const page = await pages.open("/", { permissions: ["clipboard-read", "clipboard-write"] });
  const script = "<script>document.title='ran'</script>";
  const photo = await sharp({ create: { width: 80, height: 60, channels: 3, background: "#f00" } })
    .png()
    .toBuffer();
  await page.locator("input[type=file]").setInputFiles([
    { name: "wide.png", mimeType: "image/png", buffer: photo },
    {
      name: "rows.json",
      mimeType: "application/json",
      buffer: Buffer.from(
        JSON.stringify([
          { name: script, n: 1 },
          { name: "b", n: 2 },
        ]),
      ),
    },
    { name: "words.md", mimeType: "text/markdown", buffer: Buffer.from("# Title\n\nplain words\n") },
  ]);
  const [picture, table, text] = [card(page, "wide.png"), card(page, "rows.json"), card(page, "words.md")];
  await picture.getByRole("radio", { name: "JPG" }).check();
  await table.getByRole("radio", { name: "CSV" }).check();
  await text.getByRole("radio", { name: "HTML" }).check();
  await page.getByRole("button", { name: "Convert all 3" }).click();
  await page.getByText("3 files · 3 done").waitFor();

  const original = picture.getByRole("img", { name: "Original of wide.jpg" });
  await original.waitFor();
  const slider = picture.getByRole("slider", { name: "How much of the original is shown" });
  const rightEdge = () => original.evaluate((image) => getComputedStyle(image).clipPath);
  await slider.focus();
  await page.keyboard.press("Home");
  await expect.poll(rightEdge).toMatch(/100%/);
  await page.keyboard.press("End");
  await expect.poll(rightEdge).not.toMatch(/100%/);
  await picture.getByRole("button", { name: "Copy picture" }).click();
  await picture.getByText("Copied").waitFor();
  expect(await page.evaluate(async () => (await navigator.clipboard.read()).flatMap(({ types }) => types))).toEqual(["image/png"]);

  await table.getByRole("button", { name: "Preview" }).click();
  await table.getByRole("cell", { name: script }).waitFor();
  expect(await table.getByRole("columnheader").allTextContents()).toEqual(["name", "n"]);
  await text.getByRole("button", { name: "Preview" }).click();
  await text.getByRole("region", { name: "Preview of words.html" }).getByText("plain words").waitFor();
  await text.getByRole("button", { name: "Copy text" }).click();
  await text.getByText("Copied").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("plain words");
  expect(await page.title()).not.toBe("ran");
  expect(await seriousFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
  await page.context().close();
});
