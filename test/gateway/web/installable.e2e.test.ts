/** The pages as an app: installation, offline display, and files shared by other apps. */
import { expect, test } from "vitest";
import { withPages } from "#test/harness/pages.ts";
import { startServer, withoutOffice } from "#test/harness/server.ts";
import { seriousFindings } from "./accessibility.ts";

const pages = withPages(() => startServer(withoutOffice));

const isWorking = () => navigator.serviceWorker.ready.then(({ active }) => active?.state);

test("meets every requirement to be installed", async () => {
  const page = await pages.open("/");
  const debuggerOf = await page.context().newCDPSession(page);
  const { errors, data = "" } = await debuggerOf.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  expect((await debuggerOf.send("Page.getInstallabilityErrors")).installabilityErrors.map(({ errorId }) => errorId)).toEqual(
    // Windows with this kind of profile cannot install anything.
    ["in-incognito"],
  );
  const manifest = JSON.parse(data);
  const sizes = await page.evaluate(async (icons: readonly { src: string; sizes: string }[]) => {
    const found = [];
    for (const { src, sizes } of icons) {
      const picture = await createImageBitmap(await (await fetch(src)).blob());
      found.push([sizes, `${picture.width}x${picture.height}`]);
    }
    return found;
  }, manifest.icons);
  expect(sizes).toEqual([
    ["192x192", "192x192"],
    ["512x512", "512x512"],
    ["512x512", "512x512"],
  ]);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("shows a styled page while the server is offline and continues from there", async () => {
  const page = await pages.open("/");
  await expect.poll(() => page.evaluate(isWorking)).toBe("activated");
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const usual = await background();
  await page.context().setOffline(true);
  await page.goto("/jobs");
  await page.getByRole("heading", { name: "No connection to the server" }).waitFor();
  expect(await background()).toBe(usual);
  expect(await seriousFindings(page)).toEqual([]);
  await page.context().setOffline(false);
  await page.getByRole("link", { name: "Try again" }).click();
  await page.getByText("Drop files here").waitFor();
  await page.context().close();
});

test("photos shared from another app are ready in the converter", async () => {
  const page = await pages.open("/");
  await expect.poll(() => page.evaluate(isWorking)).toBe("activated");
  await page.reload();
  // As the operating system does: a form with the files, sent to the URL in the manifest.
  await page.evaluate(() => {
    const data = new DataTransfer();
    for (const name of ["one.jpg", "two.jpg"]) data.items.add(new File(["picture"], name, { type: "image/jpeg" }));
    const input = Object.assign(document.createElement("input"), { type: "file", name: "files", multiple: true, files: data.files });
    const form = Object.assign(document.createElement("form"), { action: "/share", method: "post", enctype: "multipart/form-data" });
    form.append(input);
    document.body.append(form);
    form.submit();
  });
  for (const name of ["one.jpg", "two.jpg"]) {
    await page.getByRole("listitem", { name, exact: true }).getByRole("radio", { name: "PNG" }).waitFor();
  }
  expect(new URL(page.url()).pathname).toBe("/");
  expect(page.faults).toEqual([]);
  await page.context().close();
});
