/** Previews drawn by the page itself: fonts as specimens, maps as outlines, models in 3D, workbooks as rows. */
import { readFile } from "node:fs/promises";
import * as workbooks from "@e965/xlsx";
import { expect, test } from "vitest";
import { phone, type TestPage } from "#test/harness/browser.ts";
import { withPages } from "#test/harness/pages.ts";
import { seriousFindings } from "./accessibility.ts";

const pages = withPages();

async function previewed(page: TestPage, path: string, to: string) {
  return previewedBytes(page, path.split("/").at(-1) ?? "", await readFile(`test/corpus/${path}`), to);
}

async function previewedBytes(page: TestPage, name: string, buffer: Buffer, to: string) {
  await page.locator("input[type=file]").setInputFiles([{ name, mimeType: "", buffer }]);
  const item = page.getByRole("listitem", { name, exact: true });
  await item.getByRole("radio", { name: to, exact: true }).check();
  await item.getByRole("button", { name: `Convert to ${to}` }).click();
  await item.getByRole("button", { name: "Preview" }).click({ timeout: 60_000 });
  return item;
}

test("a font preview shows its letters and the reader's own text", async () => {
  const page = await pages.open("/");
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

test.each([
  ["kml", "GEOJSON", '"FeatureCollection"'],
  ["geojson", "KML", "<Placemark"],
  ["kml", "GPX", "<wpt"],
])("a map converted from %s to %s is drawn as outlines above its source text", async (from, to, text) => {
  const page = await pages.open("/");
  const item = await previewed(page, `typical/geo/typical.${from}`, to);
  const drawing = item.getByRole("img", { name: `Preview of typical.${to.toLowerCase()}` });
  await drawing.waitFor();
  const shapes = await drawing.evaluate((svg) => [
    svg.querySelectorAll("circle").length,
    svg.querySelector("path")?.getAttribute("d")?.match(/L/g)?.length ?? 0,
  ]);
  expect(Math.min(...shapes)).toBeGreaterThan(0);
  await item.getByText(text).first().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

/** In the browser: how many pixels of a canvas are filled, and a checksum of their positions and colours. */
const filledIn = (canvas: Element): [number, number] => {
  const { width, height } = canvas as HTMLCanvasElement;
  const { data = [] } = (canvas as HTMLCanvasElement).getContext("2d")?.getImageData(0, 0, width, height) ?? {};
  const filled = Array.from({ length: width * height }, (_, pixel) => pixel).filter((pixel) => data[pixel * 4 + 3] === 255);
  return [filled.length, filled.reduce((sum, pixel) => (sum * 31 + pixel + (data[pixel * 4] ?? 0)) % 1_000_003, 0)];
};

test.each([
  ["obj", "GLB"],
  ["glb", "STL"],
])("a model converted from %s to %s is drawn, and rotates by drag and keyboard", async (from, to) => {
  const page = await pages.open("/", phone);
  const item = await previewed(page, `typical/model/typical.${from}`, to);
  const drawing = item.getByRole("img", { name: `Preview of typical.${to.toLowerCase()}` });
  await expect.poll(async () => (await drawing.evaluate(filledIn))[0]).toBeGreaterThan(50_000);
  const seen = [(await drawing.evaluate(filledIn))[1]];
  const changed = async () => {
    await expect.poll(async () => (await drawing.evaluate(filledIn))[1]).not.toBe(seen.at(-1));
    seen.push((await drawing.evaluate(filledIn))[1]);
  };
  await item.getByRole("slider", { name: "Rotate" }).focus();
  await page.keyboard.press("PageUp");
  await changed();
  await drawing.scrollIntoViewIfNeeded();
  const { x = 0, y = 0 } = (await drawing.boundingBox()) ?? {};
  await page.mouse.move(x + 100, y + 100);
  await page.mouse.down();
  await page.mouse.move(x + 130, y + 140, { steps: 4 });
  await page.mouse.up();
  await changed();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  expect(await seriousFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("a workbook preview shows the first rows and adds no job", async () => {
  const page = await pages.open("/");
  const item = await previewed(page, "typical/data/typical.csv", "XLSX");
  const grid = item.getByRole("region", { name: "First rows of typical.xlsx" });
  await grid.getByRole("cell").first().waitFor();
  const [head = ""] = (await readFile("test/corpus/typical/data/typical.csv", "utf8")).split("\n");
  expect(await grid.getByRole("columnheader").allInnerTexts()).toEqual(head.trim().split(","));
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("link", { name: "Jobs", exact: true }).click();
  await page.locator(".job-row").first().waitFor();
  expect(await page.locator(".job-row").count()).toBe(1);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("a workbook with several sheets can be previewed sheet by sheet, including an empty one", async () => {
  const book = workbooks.utils.book_new();
  workbooks.utils.book_append_sheet(book, workbooks.utils.aoa_to_sheet([["Item", "Amount"], ["Rent", 700]]), "Income (2026)"); // biome-ignore format: rows
  workbooks.utils.book_append_sheet(book, workbooks.utils.aoa_to_sheet([]), "Empty");
  workbooks.utils.book_append_sheet(
    book,
    workbooks.utils.aoa_to_sheet([
      ["Costs", null, "x"],
      ["Food", 200],
    ]),
    "Costs",
  );
  const page = await pages.open("/", phone);
  const bytes = Buffer.from(workbooks.write(book, { type: "buffer", bookType: "xlsx" }));
  const item = await previewedBytes(page, "house.xlsx", bytes, "ODS");
  const grid = item.getByRole("region", { name: "First rows of house.ods" });
  await grid.getByRole("cell", { name: "700" }).waitFor();
  const sheet = item.getByLabel("Sheet");
  expect(await sheet.getByRole("option").allInnerTexts()).toEqual(["Income (2026)", "Empty", "Costs"]);
  await sheet.selectOption("Costs");
  expect(await grid.getByRole("columnheader").allInnerTexts()).toEqual(["Costs", "", "x"]);
  await grid.getByRole("cell", { name: "200" }).waitFor();
  await sheet.selectOption("Empty");
  await item.getByText("This sheet is empty.").waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  expect(await seriousFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("reports a failed workbook preview", async () => {
  const page = await pages.open("/");
  // The result is damaged by the time it is previewed.
  await page.route("**/download", (route) => route.fulfill({ body: "PK\u0003\u0004 and nothing after" }));
  const item = await previewed(page, "typical/data/typical.csv", "XLSX");
  await item.getByText("The preview failed. Download the file to view it.").waitFor();
  await page.context().close();
});

/** The given number of triangles, each nearly as large as the canvas. */
function layers(count: number): Buffer {
  const lines = Array.from({ length: count }, (_, n) => `v -1 -1 ${n / count}\nv 1 -1 ${n / count}\nv 0 1 ${n / count}\nf -3 -2 -1\n`);
  return Buffer.from(lines.join(""));
}

test("a model with many large triangles is drawn at a lower resolution", async () => {
  const page = await pages.open("/");
  const coarse = await previewedBytes(page, "coarse.obj", layers(1000), "STL");
  const drawing = coarse.getByRole("img", { name: "Preview of coarse.stl" });
  await expect.poll(async () => (await drawing.evaluate(filledIn))[0]).toBeGreaterThan(1000);
  expect(await drawing.evaluate((canvas) => (canvas as HTMLCanvasElement).width)).toBeLessThan(960);
  expect(page.faults).toEqual([]);
  await page.context().close();
});
