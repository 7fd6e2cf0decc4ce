/** From a file to a result in German and in Arabic, on a phone. */
import { expect, test } from "vitest";
import { png } from "#test/gateway/samples.ts";
import { withPages } from "#test/harness/pages.ts";
import { seriousFindings } from "./accessibility.ts";

const pages = withPages();

const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const file = { name: "photo.png", mimeType: "image/png", buffer: Buffer.from(png) };

const cases = [
  {
    ...{ locale: "de-DE", direction: "ltr", drop: "Dateien hier ablegen", all: /^Alle \d+ Formate$/, word: "foto", task: "Verkleinern" },
    ...{ convert: "In JPG umwandeln", download: "photo.jpg herunterladen", jobs: "Aufträge", done: "fertig" },
  },
  {
    ...{ locale: "ar-EG", direction: "rtl", drop: "أفلت الملفات هنا", all: /^كل الصيغ/, word: "صور", task: "تدوير" },
    ...{ convert: "تحويل إلى JPG", download: "تنزيل photo.jpg", jobs: "المهام", done: "مكتملة" },
  },
] as const;

test.each(cases)(
  "converts a photo to JPG in $locale",
  async ({ locale, direction, drop, all, word, task, convert, download, jobs, done }) => {
    const page = await pages.open("/", { ...phone, locale });
    const isNarrow = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    expect(await page.evaluate(() => document.documentElement.dir)).toBe(direction);
    await page.getByText(drop).waitFor();
    await page.locator("input[type=file]").first().setInputFiles([file]);
    const item = page.getByRole("listitem", { name: "photo.png", exact: true });
    await item.getByRole("button", { name: all }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("option").allInnerTexts()).toEqual(expect.arrayContaining([expect.stringContaining(task)]));
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("combobox").fill(word);
    await page.keyboard.press("Enter");
    expect(await isNarrow()).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    await item.getByRole("button", { name: convert }).click();
    await item.getByRole("link", { name: download }).waitFor();
    expect(await isNarrow()).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("link", { name: jobs, exact: true }).click();
    await page.locator(".job-row").getByText(done, { exact: true }).waitFor();
    expect(await page.locator(".job-row time").first().getAttribute("title")).toMatch(/\p{Nd}/u);
    await page.getByRole("combobox").selectOption("failed");
    await page.locator(".job-row").waitFor({ state: "detached" });
    await page.getByRole("combobox").selectOption("done");
    await page.locator(".job-row").waitFor();
    expect(await isNarrow()).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    expect(page.faults).toEqual([]);
    await page.context().close();
  },
);

test("the language can be changed in the footer, even without JavaScript", async () => {
  const page = await pages.open("/jobs", { ...phone, locale: "en-US", javaScriptEnabled: false });
  await page.locator(".languages summary").click();
  await page.getByRole("link", { name: "日本語" }).click();
  expect(await page.locator("html").getAttribute("lang")).toBe("ja");
  expect(new URL(page.url()).pathname).toBe("/jobs");
  await page.getByRole("heading", { name: "ジョブ" }).waitFor();
  await page.context().close();
});
