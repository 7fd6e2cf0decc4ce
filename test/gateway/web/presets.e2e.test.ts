/** Options saved by name, as a default and by link, in a guest's browser and in an account. */
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import type { TestPage } from "#test/harness/browser.ts";
import { withPages } from "#test/harness/pages.ts";
import { seriousFindings } from "./accessibility.ts";

const pages = withPages();
let picture: Buffer;
beforeAll(async () => {
  picture = await sharp({ create: { width: 60, height: 30, channels: 3, background: "#f00" } })
    .png()
    .toBuffer();
});

const card = (page: TestPage, name: string) => page.getByRole("listitem", { name, exact: true });

async function choose(page: TestPage, name: string) {
  await page.locator("input[type=file]").setInputFiles([{ name, mimeType: "image/png", buffer: picture }]);
  const item = card(page, name);
  await item.getByRole("radio", { name: "WEBP", exact: true }).check();
  return item;
}

async function keepWidth(page: TestPage, name: string, preset: string): Promise<void> {
  const item = await choose(page, name);
  await item.getByText("Options", { exact: true }).click();
  await item.getByLabel("Width").fill("20");
  await item.getByRole("button", { name: "Presets" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("two words");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("One word of letters, digits, - and _.").waitFor();
  await dialog.getByLabel("Name").fill(preset);
  await dialog.getByLabel("Use it by default for PNG to WEBP").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("PNG → WEBP", { exact: true }).waitFor();
}

test("a guest's preset is stored in the browser, applied by default and shared by link", async () => {
  const page = await pages.open("/");
  await keepWidth(page, "a.png", "kleinbüro");
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.reload();
  const item = await choose(page, "b.png");
  expect(await item.getByLabel("Preset", { exact: true }).inputValue()).toBe("kleinbüro");
  await item.getByRole("button", { name: "Convert to WEBP" }).click();
  const link = item.getByRole("link", { name: "Download b.webp" });
  await link.waitFor();
  const bytes = await page.request.get(new URL((await link.getAttribute("href")) ?? "", pages.server.url).href);
  expect(await sharp(await bytes.body()).metadata()).toMatchObject({ format: "webp", width: 20 });

  const other = await pages.open(`/#${new URLSearchParams({ preset: "kleinbüro", width: "20", quality: "55" })}`);
  await other.getByText("This link offers the preset kleinbüro: width=20 quality=55").waitFor();
  expect(new URL(other.url()).hash).toBe("");
  expect(await seriousFindings(other)).toEqual([]);
  await other.getByRole("button", { name: "Save" }).click();
  const taken = await choose(other, "c.png");
  await taken.getByText("Options", { exact: true }).click();
  await taken.getByLabel("Preset", { exact: true }).selectOption("kleinbüro");
  expect(await taken.getByLabel("Quality", { exact: true }).inputValue()).toBe("55");
  await page.context().close();
  await other.context().close();
});

test("an account's presets are available in every browser until they are removed", async () => {
  const email = "presets@example.org";
  const signIn = async (how: "sign-up" | "sign-in"): Promise<TestPage> => {
    const page = await pages.open("/");
    const headers = { "x-filemill": "1", "content-type": "application/json" };
    const data = JSON.stringify({ email, password: "correct horse battery" });
    expect((await page.request.post(`${pages.server.url}/web/v1/${how}`, { headers, data })).ok()).toBe(true);
    await page.reload();
    return page;
  };
  const first = await signIn("sign-up");
  await keepWidth(first, "a.png", "small");
  await first.getByText("Named sets of options, stored in your account.").waitFor();
  const second = await signIn("sign-in");
  const item = await choose(second, "b.png");
  expect(await item.getByLabel("Preset", { exact: true }).inputValue()).toBe("small");
  await item.getByRole("button", { name: "Presets" }).click();
  const removal = second.getByRole("dialog").getByRole("button", { name: "Delete small" });
  await removal.click();
  await removal.waitFor({ state: "detached" });
  const headers = { "x-filemill": "1" };
  const left = await second.request.get(`${pages.server.url}/web/v1/presets`, { headers });
  expect(await left.json()).toEqual({ presets: {}, defaults: {} });
  await first.context().close();
  await second.context().close();
});
