/** A guest's journey in Firefox, if it is installed (Debian: firefox-esr). */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { png } from "#test/gateway/samples.ts";
import { hasFirefox, openFirefox } from "#test/harness/firefox.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";

let server: TestServer;
let folder: string;
beforeAll(async () => {
  if (!hasFirefox) return;
  folder = await mkdtemp(join(tmpdir(), "filemill-journey-"));
  await writeFile(join(folder, "photo.png"), png);
  server = await startServer();
});
afterAll(async () => {
  if (!hasFirefox) return;
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const filled = `(() => {
  const canvas = document.querySelector("canvas.turning-model");
  const { data } = canvas?.getContext("2d").getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
  return data.reduce((sum, value, index) => (value === 0 ? sum : (sum * 31 + index) % 1000003), 0);
})()`;

test.skipIf(!hasFirefox)("converts, previews and downloads a photo and a 3D model in Firefox", async () => {
  await using page = await openFirefox();
  await page.open(server.url);
  await page.choose("document.querySelector('input[type=file]')", [
    join(folder, "photo.png"),
    resolve("test/corpus/typical/model/typical.obj"),
  ]);
  const button = (name: string): string =>
    `[...document.querySelectorAll("button")].find((each) => each.textContent.trim().startsWith("${name}"))`;
  await page.click(button("Convert all 2"));
  const links = `[...document.querySelectorAll("a[download]")]`;
  await page.value(`${links}.length === 2`);
  const sizes = `Promise.all(${links}.map(async ({ href }) => (await (await fetch(href, { headers: { "X-Filemill": "1" } })).blob()).size)).then(String)`;
  for (const size of (await page.value<string>(sizes)).split(",")) expect(Number(size)).toBeGreaterThan(20);

  await page.click(button("Preview"));
  const first = await page.value<number>(filled);
  await page.type(`document.querySelector(".turning-slider input")`, "\uE00E");
  expect(await page.value<number>(`(() => { const now = ${filled}; return now !== ${first} && now })()`)).not.toBe(first);
  expect(page.faults).toEqual([]);
});
