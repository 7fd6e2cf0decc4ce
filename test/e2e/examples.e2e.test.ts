/** The examples of the documentation, run as a reader would. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "#test/harness/server.ts";

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), "filemill-examples-"));
  await sharp({ create: { width: 40, height: 20, channels: 3, background: "#204060" } })
    .png()
    .toFile(join(folder, "in.png"));
  await writeFile(join(folder, "broken.png"), Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "latin1"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await server[Symbol.asyncDispose]();
});

const own = "http://127.0.0.1:8080";
/** Those that need nothing of the repository are run as /docs shows them: copied from there. */
const copied = ["rest.sh", "rest.ts", "rest.py"];

/** An example as a reader of /docs sees it. */
async function shown(name: string): Promise<string> {
  const page = await (await fetch(`${server.url}/docs`)).text();
  const [, text = ""] = new RegExp(`<code id="example-${name}">([\\s\\S]*?)</code>`).exec(page) ?? [];
  const signs: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return text.replaceAll(/&(\w+|#\d+);/g, (whole, sign: string) => signs[sign] ?? whole);
}

async function fileOf(name: string): Promise<string> {
  if (!copied.includes(name)) return `gateway/examples/${name}`;
  const path = join(folder, name);
  await writeFile(path, await shown(name));
  return path;
}

const examples = [
  ["rest.sh", "bash"],
  ["rest.ts", process.execPath],
  ["rest.py", "/usr/bin/python3"],
  ["grpc.ts", process.execPath],
  ["grpc-convert.py", "/usr/bin/python3"],
] as const;

async function run(program: string, name: string, input: string, output: string) {
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: "gen/python",
    PYTHONDONTWRITEBYTECODE: "1",
    FILEMILL_SERVER: server.url,
    FILEMILL_RPC: name.endsWith(".py") ? new URL(server.rpcUrl).host : server.rpcUrl,
    FILEMILL_API_KEY: server.key,
    DATA_DIR: server.dataDir,
  };
  return promisify(execFile)(program, [await fileOf(name), join(folder, input), "webp", join(folder, output)], { env });
}

test.each(["rest.sh", "rest.ts", "rest.py", "webhook.ts", "webhook.py", "grpc.ts", "grpc-convert.py"])(
  "/docs shows %s as it is, with the address of this server",
  async (name) => {
    const text = await readFile(`gateway/examples/${name}`, "utf8");
    expect(await shown(name)).toBe(text.replaceAll(own, server.url));
  },
);

test.each(examples)("%s converts a file", async (name, program) => {
  await run(program, name, "in.png", `${name}.webp`);
  expect(await sharp(await readFile(join(folder, `${name}.webp`))).metadata()).toMatchObject({ format: "webp", width: 40, height: 20 });
});

test.each(examples)("%s fails for a damaged file, and says why", async (name, program) => {
  await expect(run(program, name, "broken.png", `${name}.broken.webp`)).rejects.toThrow(/damaged|truncated|INVALID_INPUT|422/i);
});
