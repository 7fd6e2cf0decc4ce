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

const examples = [
  ["rest.sh", "bash"],
  ["rest.ts", process.execPath],
  ["rest.py", "/usr/bin/python3"],
  ["grpc.ts", process.execPath],
  ["grpc-convert.py", "/usr/bin/python3"],
] as const;

function run(program: string, name: string, input: string, output: string) {
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: "gen/python",
    PYTHONDONTWRITEBYTECODE: "1",
    FILEMILL_SERVER: server.url,
    FILEMILL_RPC: name.endsWith(".py") ? new URL(server.rpcUrl).host : server.rpcUrl,
    FILEMILL_API_KEY: server.key,
  };
  return promisify(execFile)(program, [`gateway/examples/${name}`, join(folder, input), "webp", join(folder, output)], { env });
}

test.each(examples)("%s converts a file", async (name, program) => {
  await run(program, name, "in.png", `${name}.webp`);
  expect(await sharp(await readFile(join(folder, `${name}.webp`))).metadata()).toMatchObject({ format: "webp", width: 40, height: 20 });
});

test.each(examples)("%s fails for a damaged file, and says why", async (name, program) => {
  await expect(run(program, name, "broken.png", `${name}.broken.webp`)).rejects.toThrow(/damaged|truncated|INVALID_INPUT|422/i);
});
