/** Large uploads from the pages, over unreliable connections. */
import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, type TestPage } from "#test/harness/browser.ts";
import { openCuttingLine } from "#test/harness/cutting-line.ts";
import { startServer, type TestServer, withoutOffice } from "#test/harness/server.ts";
import { tarFile } from "#test/harness/tar-file.ts";

const plan = { apiAccess: false, maxInputMb: 60, requestsPerMinute: 100_000, maxUnfinishedJobs: 5, retentionSeconds: 3600 };
const content = randomBytes(24_000_000);

let server: TestServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-large-"));
  await writeFile(join(folder, "large.tar"), tarFile([{ name: "content.bin", content }]));
  server = await startServer(withoutOffice, { free: plan, plus: { ...plan, apiAccess: true } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const card = (page: TestPage) => page.getByRole("listitem", { name: "large.tar", exact: true });

async function begin(page: TestPage): Promise<void> {
  await page.locator("input[type=file]").setInputFiles(join(folder, "large.tar"));
  await card(page).getByRole("radio", { name: "ZIP" }).check();
  await card(page).getByRole("button", { name: "Convert to ZIP" }).click();
}

async function expectWhole(page: TestPage): Promise<void> {
  const downloading = page.waitForEvent("download");
  await card(page).getByRole("link", { name: "Download large.zip" }).click();
  await (await downloading).saveAs(join(folder, "large.zip"));
  await promisify(execFile)("unzip", ["-oq", "large.zip"], { cwd: folder });
  const digestOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
  expect(digestOf(await readFile(join(folder, "content.bin")))).toBe(digestOf(content));
}

const pieces = async (): Promise<string[]> => readdir(join(server.dataDir, "uploads")).catch(() => []);
const portOf = ({ url }: TestServer): number => Number(new URL(url).port);

/** In the browser: whether it remembers the address of the file's upload. */
const isUploadKept = (): Promise<boolean> =>
  new Promise((resolve) => {
    const opening = indexedDB.open("filemill");
    opening.onsuccess = () => {
      const all = opening.result.transaction("facts").objectStore("facts").getAll();
      all.onsuccess = () => {
        opening.result.close();
        resolve(all.result.some(({ upload }) => upload !== undefined));
      };
    };
  });

test("uploads a file intact over a connection that is cut twenty times", async () => {
  using line = await openCuttingLine(portOf(server), { everyBytes: 1_150_000, times: 20 });
  await using browser = await openBrowser(line.url);
  const page = await browser.open("/");
  const offsets: number[] = [];
  page.on("request", (request) => {
    if (request.method() === "PATCH") offsets.push(Number(request.headers()["upload-offset"]));
  });
  await begin(page);
  await card(page).getByRole("link", { name: "Download large.zip" }).waitFor();
  expect(line.cuts()).toBe(20);
  // Received data is not sent again. How often the browser itself retries on a broken connection does not matter.
  expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
  expect(offsets.at(-1)).toBeGreaterThan(0);
  await expectWhole(page);
  expect(await pieces()).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("an upload resumes after a reload without a prompt, and cancelling removes its data", async () => {
  using line = await openCuttingLine(portOf(server), { everyBytes: 15_000_000 });
  await using browser = await openBrowser(line.url);
  const page = await browser.open("/");
  await begin(page);
  const questions: string[] = [];
  page.on("dialog", (dialog) => {
    questions.push(dialog.type());
    void dialog.accept();
  });
  await expect.poll(() => page.evaluate(isUploadKept)).toBe(true);
  await expect.poll(line.sent).toBeGreaterThan(14_900_000);
  await page.reload();
  const before = line.sent();
  line.release();
  await card(page).getByRole("link", { name: "Download large.zip" }).waitFor();
  expect(questions).toEqual([]);
  // Starting over would send more.
  expect(line.sent() - before).toBeLessThan(18_000_000);
  await expectWhole(page);

  using still = await openCuttingLine(portOf(server), { everyBytes: 5_000_000 });
  await using other = await openBrowser(still.url);
  const second = await other.open("/");
  await begin(second);
  await card(second).getByText("Uploading").waitFor();
  await expect.poll(pieces).toHaveLength(2);
  await card(second).getByRole("button", { name: "Cancel" }).click();
  await expect.poll(pieces).toEqual([]);
  await card(second).getByRole("button", { name: "Convert to ZIP" }).waitFor();
  expect([...page.faults, ...second.faults]).toEqual([]);
});
