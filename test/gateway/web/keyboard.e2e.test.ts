/** The tab order of all controls (WCAG 2.2, 2.1.1, 2.4.3, 2.4.7, 2.4.11). */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { png } from "#test/gateway/samples.ts";
import type { TestPage } from "#test/harness/browser.ts";
import { withPages } from "#test/harness/pages.ts";
import { seriousFindings } from "./accessibility.ts";

const MOST_STOPS = 400;
const usable = "a[href], button, input, select, textarea, summary, [tabindex]";

const pages = withPages();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-keyboard-"));
});
afterAll(() => rm(folder, { recursive: true }));

type Stop = {
  readonly name: string;
  /** Its index among all elements of the document. */
  readonly place: number;
  readonly isSeen: boolean;
  readonly isMarked: boolean;
};

/** In the browser: the focused element, undefined if the focus has left the document. */
const focused = (): Stop | undefined => {
  const element = document.activeElement;
  if (element === null || element === document.body) return undefined;
  const { left, top, width, height } = element.getBoundingClientRect();
  const [x, y] = [left + Math.min(width / 2, 20), top + height / 2];
  const hit = document.elementFromPoint(x, y);
  // A file input is represented by its label.
  const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
  const shown = [element, ...labels].some((part) => {
    const box = part.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight;
  });
  const looks = [element, ...labels].map((part) => getComputedStyle(part));
  return {
    name: `${element.localName} ${element.getAttribute("aria-label") ?? element.textContent ?? ""}`.trim().slice(0, 60),
    place: [...document.querySelectorAll("*")].indexOf(element),
    isSeen: shown && (hit === null || labels.length > 0 || element.contains(hit) || hit.contains(element)),
    isMarked: looks.some(({ outlineStyle, boxShadow }) => outlineStyle !== "none" || boxShadow !== "none"),
  };
};

/** In the browser: visible clickable elements, except members of a group, of which only one is a tab stop. */
const clickable = (elements: Element[]): string[] =>
  elements
    .filter((element) => {
      const isGrouped = element.matches("[type=radio], [role=option], [role=tab], [tabindex='-1']");
      return !isGrouped && !element.matches(":disabled") && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    })
    .map((element) => `${element.localName} ${element.getAttribute("aria-label") ?? element.textContent ?? ""}`.trim().slice(0, 60));

async function stopsOf(page: TestPage): Promise<readonly Stop[]> {
  await page.evaluate(() => (document.activeElement instanceof HTMLElement ? document.activeElement.blur() : undefined));
  await page.evaluate(() => getSelection()?.setPosition(document.body, 0));
  const stops: Stop[] = [];
  while (stops.length < MOST_STOPS) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(focused);
    if (stop === undefined || stop.place === stops[0]?.place) return stops;
    stops.push(stop);
  }
  throw new Error("The Tab key comes to no end.");
}

async function expectInOrder(page: TestPage): Promise<void> {
  const stops = await stopsOf(page);
  expect(stops.length).toBeGreaterThan(4);
  expect(stops.map(({ place }) => place)).toEqual(stops.map(({ place }) => place).toSorted((a, b) => a - b));
  expect(stops.filter(({ isSeen }) => !isSeen)).toEqual([]);
  expect(stops.filter(({ isMarked }) => !isMarked)).toEqual([]);
  const reached = new Set(stops.map(({ name }) => name));
  const missed = (await page.locator(usable).evaluateAll(clickable)).filter((name) => !reached.has(name));
  expect(missed).toEqual([]);
}

test.each(["/", "/jobs", "/automate", "/docs", "/docs/errors"])(
  "on %s, Tab reaches every control in document order and focus is visible",
  async (path) => {
    const page = await pages.open(path, { viewport: { width: 1280, height: 800 } });
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expectInOrder(page);
    await page.context().close();
  },
);

test("with chosen files, Tab reaches every control in document order and focus is visible", async () => {
  const page = await pages.open("/", { viewport: { width: 1280, height: 800 } });
  const paths = ["a.csv", "b.csv"].map((name) => join(folder, name));
  for (const path of paths) await writeFile(path, "name,age\nJürgen,7\n");
  await page.locator("input[type=file]").first().setInputFiles(paths);
  await page
    .getByRole("button", { name: /Convert/ })
    .first()
    .waitFor();
  await expectInOrder(page);
  await page.context().close();
});

test("the check detects controls that are out of order or unreachable", async () => {
  const page = await pages.open("/docs", { viewport: { width: 1280, height: 800 } });
  const add = (html: string) => page.evaluate((text) => document.body.insertAdjacentHTML("beforeend", text), html);
  await add("<button id=early tabindex=1>Early</button>");
  await expect(expectInOrder(page)).rejects.toThrow();
  await page.evaluate(() => document.querySelector("#early")?.remove());
  await expectInOrder(page);
  await add("<div inert><a href='/docs'>Unreachable</a></div>");
  await expect(expectInOrder(page)).rejects.toThrow(/Unreachable/);
  await page.context().close();
});

test("filters formats by kind with mouse and keyboard", async () => {
  const page = await pages.open("/");
  await page.locator("input[type=file]").setInputFiles([{ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(png) }]);
  const item = page.getByRole("listitem", { name: "dot.png", exact: true });
  await item.getByRole("button", { name: /^All \d+ formats$/ }).click();
  const dialog = page.getByRole("dialog");
  const options = dialog.getByRole("option");
  const all = await options.count();
  await dialog.getByRole("radio", { name: "document" }).check({ force: true });
  await dialog.getByRole("option", { name: "pdf" }).first().waitFor();
  expect(await options.count()).toBeLessThan(all);
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => options.filter({ hasText: "pdf" }).count()).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
  await dialog.getByRole("combobox").fill("pdf");
  await dialog.getByRole("radio", { name: "all" }).and(page.locator(":checked")).waitFor({ state: "attached" });
  await page.keyboard.press("Enter");
  await item.getByRole("button", { name: "Convert to PDF" }).waitFor();
  expect(page.faults).toEqual([]);
  await page.context().close();
});
