import sharp from "sharp";
import { expect, test } from "vitest";
import { openBrowser } from "#test/harness/browser.ts";
import { startServer } from "#test/harness/server.ts";
import { seriousFindings } from "./accessibility.ts";

test("a picture is made smaller in its own format", async () => {
  await using server = await startServer();
  await using browser = await openBrowser(server.url);
  const page = await browser.open("/");
  await page.locator("input[type=file]").setInputFiles([
    {
      name: "wide.png",
      mimeType: "image/png",
      buffer: await sharp({ create: { width: 60, height: 30, channels: 3, background: "#f00" } })
        .png()
        .toBuffer(),
    },
  ]);
  const item = page.getByRole("listitem", { name: "wide.png", exact: true });
  await item.getByRole("radio", { name: "PNG, changed" }).check();
  await item.getByText(/^PNG, changed: smaller, resized, cropped, turned/).waitFor();
  await item.getByLabel("Width").fill("20");
  expect(await seriousFindings(page)).toEqual([]);
  await item.getByRole("button", { name: "Change this PNG" }).click();
  const link = item.getByRole("link", { name: "Download wide.png" });
  await link.waitFor();
  const bytes = await page.request.get(new URL((await link.getAttribute("href")) ?? "", server.url).href);
  expect(await sharp(await bytes.body()).metadata()).toMatchObject({ format: "png", width: 20, height: 10 });
});
