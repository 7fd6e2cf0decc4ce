/** The first API key is shown once: a failed start must not use it up (it did if the port was taken). */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { servingEnvironment } from "#gateway/setup/node.mjs";
import { removeFolder } from "#test/harness/folders.ts";
import { putFound } from "#test/harness/found.ts";
import { startServer, withoutOffice } from "#test/harness/server.ts";

type End = { readonly code: number | null; readonly out: string; readonly err: string };

function failingStart(env: Readonly<Record<string, string>>): Promise<End> {
  const settings = { ...servingEnvironment, PATH: process.env.PATH, PORT: "0", RPC_PORT: "0", LOG_LEVEL: "silent", ...env };
  return new Promise((done) => {
    const child = execFile(process.execPath, ["gateway/main.ts"], { env: settings }, (_, out, err) =>
      done({ code: child.exitCode, out, err }),
    );
  });
}

test("a failed start leaves the first API key to the next one", async () => {
  await using stack = new AsyncDisposableStack();
  await mkdir(".tmp", { recursive: true });
  const dataDir = await mkdtemp(resolve(".tmp/filemill-first-key-"));
  stack.defer(() => removeFolder(dataDir));
  await putFound(dataDir);
  const taken = createServer().listen(0, "127.0.0.1");
  stack.defer(() => void taken.close());
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? String(address.port) : "";

  for (const env of [{ PORT: port }, { RPC_PORT: port }]) {
    expect({ env, ...(await failingStart({ DATA_DIR: dataDir, ...env })) }).toMatchObject({ code: 78, out: "" });
  }
  // The engines start after the ports are bound.
  await rm(join(dataDir, "scratch"), { recursive: true, force: true });
  await writeFile(join(dataDir, "scratch"), "");
  expect(await failingStart({ DATA_DIR: dataDir })).toMatchObject({ code: 1, out: "" });
  await rm(join(dataDir, "scratch"));

  const server = stack.use(await startServer({ ...withoutOffice, DATA_DIR: dataDir }));
  const answer = await fetch(`${server.url}/api/v1/jobs`, { headers: { authorization: `Bearer ${server.key}` } });
  expect(answer.status).toBe(200);
});
