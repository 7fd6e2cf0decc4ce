import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
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

const pages = withPages();

test("resizes a picture in its own format", async () => {
  const page = await pages.open("/");
  await page.locator("input[type=file]").setInputFiles([
    {
      name: "wide.png",
      mimeType: "image/png",
      buffer: await sharp({ create: { width: 60, height: 30, channels: 3, background: "#f00" } })
        .png()
        .toBuffer(),
    },
  ]);
  const item = card(page, "wide.png");
  await item.getByRole("radio", { name: "PNG, changed" }).check();
  await item.getByText(/^The format stays PNG\. Choose below what to change\. Possible: smaller, resized, cropped, rotated/).waitFor();
  await item.getByLabel("Width").fill("20");
  expect(await seriousFindings(page)).toEqual([]);
  await item.getByRole("button", { name: "Change this PNG" }).click();
  const link = item.getByRole("link", { name: "Download wide.png" });
  await link.waitFor();
  const bytes = await page.request.get(new URL((await link.getAttribute("href")) ?? "", pages.server.url).href);
  expect(await sharp(await bytes.body()).metadata()).toMatchObject({ format: "png", width: 20, height: 10 });
  await page.context().close();
});

/** qpdf's exit code: 0 if a password is still needed, 2 if the PDF is not protected, 3 if the password opens it. */
const endOf = (...args: readonly string[]): Promise<number> =>
  run("qpdf", ["--requires-password", ...args]).then(
    () => 0,
    ({ code }) => code,
  );

test("protects several documents with one password, and asks for it again if the service has lost it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "filemill-protected-"));
  const page = await pages.open("/");
  const buffer = await readFile("test/corpus/tiny/tiny.pdf");
  await page.locator("input[type=file]").setInputFiles(["a.pdf", "b.pdf"].map((name) => ({ name, mimeType: "application/pdf", buffer })));
  await card(page, "a.pdf").getByRole("radio", { name: "PDF, changed" }).check();
  await card(page, "a.pdf").getByRole("switch", { name: "Protect" }).check();
  await card(page, "a.pdf").getByLabel("Password for the result").fill("grün 7!");
  await card(page, "a.pdf").getByRole("button", { name: "Same for all pdf files" }).click();
  const item = card(page, "b.pdf");
  await page.route(
    "**/web/v1/convert?*",
    (route) => {
      const { "x-output-password": _lost, ...headers } = route.request().headers();
      return route.continue({ headers });
    },
    { times: 1 },
  );
  await item.getByRole("button", { name: "Change this PDF" }).click();
  await item.getByText("Send the file again, with the password for the result").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await item.getByRole("button", { name: "Try again" }).click();
  await item.getByRole("button", { name: "Change this PDF" }).click();
  const downloading = page.waitForEvent("download");
  await item.getByRole("link", { name: "Download b.pdf" }).click();
  const saved = join(folder, "b.pdf");
  await (await downloading).saveAs(saved);
  expect([await endOf("test/corpus/tiny/tiny.pdf"), await endOf(saved), await endOf("--password=grün 7!", saved)]).toEqual([2, 0, 3]);
  expect(page.faults).toEqual([]);
  await page.context().close();
  await rm(folder, { recursive: true });
});

test("opens a protected document with its password and protects it with another", async () => {
  const page = await pages.open("/");
  await page.locator("input[type=file]").setInputFiles("test/corpus/protected/protected.pdf");
  const item = card(page, "protected.pdf");
  await item.getByRole("radio", { name: "PDF, changed" }).check();
  await item.getByRole("switch", { name: "Protect" }).check();
  await item.getByLabel("Password for the result").fill("another");
  await item.getByRole("button", { name: "Change this PDF" }).click();
  await item.getByText(/protected by a password/).waitFor();
  await item.getByLabel("Password of the file").fill("grün 7!");
  await item.getByRole("button", { name: "Unlock and convert" }).click();
  await item.getByRole("link", { name: "Download protected.pdf" }).waitFor();
  await page.context().close();
});
