/** Every call shown in the reference, in every language, copied from the page and run in a reader's order. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { opened } from "#test/harness/opened.ts";
import { call, jobOf, post } from "#test/harness/rest.ts";
import { startServer } from "#test/harness/server.ts";

const server = opened(() => startServer({ URL_FETCH: "any", WEBHOOK_PRIVATE_ADDRESSES: "allowed", WEBHOOK_PORTS: "1-65535" }));
let receiver: ReturnType<typeof createServer>;
let folder: string;
let page: string;
let operations: readonly string[];
beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    if (request.method !== "GET") return void response.writeHead(204).end();
    response.end(await readFile(join(folder, "photo.jpg")));
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  folder = await mkdtemp(join(tmpdir(), "filemill-samples-"));
  await sharp({ create: { width: 40, height: 20, channels: 3, background: "#204060" } })
    .jpeg()
    .toFile(join(folder, "photo.jpg"));
  page = await (await fetch(`${server.url}/docs`)).text();
  const { paths } = JSON.parse(await (await fetch(`${server.url}/api/v1/openapi.json`)).text());
  operations = Object.values<Record<string, { operationId: string }>>(paths).flatMap((methods) =>
    Object.entries(methods).flatMap(([method, { operationId }]) => (method === "head" ? [] : operationId)),
  );
});
afterAll(async () => {
  receiver.close();
  await rm(folder, { recursive: true, force: true });
});

const languages = { curl: ["bash", "sh"], typescript: [process.execPath, "mts"], python: ["/usr/bin/python3", "py"] } as const;
type Language = keyof typeof languages;

function shown(operation: string, language: Language): string {
  const [, text = ""] = new RegExp(`<code id="call-${operation}-${language}">([\\s\\S]*?)</code>`).exec(page) ?? [];
  const signs: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return text.replaceAll(/&(\w+|#\d+);/g, (whole, sign: string) => signs[sign] ?? whole);
}

async function run(operation: string, language: Language, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const [program, extension] = languages[language];
  const file = join(folder, `${operation}.${extension}`);
  // The example's URL, which does not exist here.
  const own = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  await writeFile(file, shown(operation, language).replace("https://example.org", own));
  const maxBuffer = 64 * 2 ** 20;
  const options = {
    maxBuffer,
    cwd: folder,
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: "1", FILEMILL_API_KEY: server.key, ...env },
  };
  return (await promisify(execFile)(program, [file], options)).stdout;
}

/** Prerequisites of a call, by the variables in its text. */
async function worldOf(sample: string): Promise<Readonly<Record<string, string>>> {
  const { id: JOB_ID } = sample.includes("JOB_ID") ? await jobOf(await post(server)) : { id: "" };
  if (!sample.includes("WEBHOOK_ID")) return { JOB_ID };
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const json = { "content-type": "application/json" };
  const made = await call(server, "/api/v1/webhooks", { method: "POST", headers: json, body: JSON.stringify({ url }) });
  const { webhook } = JSON.parse(await made.text());
  await post(server);
  const deliveries = async () => JSON.parse(await (await call(server, `/api/v1/webhooks/${webhook.id}/deliveries`)).text()).deliveries;
  await expect.poll(async () => (await deliveries()).length, { timeout: 30_000 }).toBeGreaterThan(0);
  return { JOB_ID, WEBHOOK_ID: webhook.id, DELIVERY_ID: (await deliveries())[0].id };
}

/** What a call prints or leaves behind, by operation. */
const expectations: Readonly<Record<string, RegExp>> = {
  convert: /^$/,
  convertUrl: /['"]?status['"]?:\s*['"]done/,
  listJobs: /['"]?jobs['"]?:/,
  getJob: /['"]?job['"]?:/,
  deleteJob: /^$/,
  jobEvents: /event: job/,
  download: /^$/,
  formats: /['"]?formats['"]?:/,
  route: /['"]?hops['"]?:/,
  openapi: /['"]?openapi['"]?:/,
  listWebhooks: /['"]?webhooks['"]?:/,
  createWebhook: /['"]?secret['"]?:/,
  updateWebhook: /hooks\.example\.org/,
  deleteWebhook: /^$/,
  listDeliveries: /['"]?deliveries['"]?:/,
  replayDelivery: /['"]?delivery['"]?:/,
  health: /alive/,
  ready: /ready/,
};

test("every endpoint in the reference has a sample in each language", () => {
  expect(operations.toSorted()).toEqual(Object.keys(expectations).toSorted());
  for (const operation of operations)
    for (const language of ["curl", "typescript", "python"] as const)
      expect(shown(operation, language), `${operation} in ${language}`).toContain(server.url);
});

describe.each(["curl", "typescript", "python"] as const)("in %s", (language) => {
  test.each(Object.entries(expectations))("%s works as documented", async (operation, printed) => {
    expect(await run(operation, language, await worldOf(shown(operation, language)))).toMatch(printed);
    const width = { convert: 40, download: 1 }[operation];
    if (width !== undefined)
      expect(await sharp(await readFile(join(folder, "result.webp"))).metadata()).toMatchObject({ format: "webp", width });
  });

  test("an error response is reported and ends the program", async () => {
    const wrong = { FILEMILL_API_KEY: "fm_wrong", JOB_ID: "0".repeat(26) };
    await expect(run("getJob", language, wrong)).rejects.toThrow(/INVALID_API_KEY|401/);
  });
});
