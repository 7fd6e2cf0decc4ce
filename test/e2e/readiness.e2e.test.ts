/** `/readyz` used to answer 200 while every conversion failed: now it checks whatever may be broken, and names it. */
import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesUnder } from "#test/harness/folders.ts";
import { post, removeAllJobs } from "#test/harness/rest.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";

type Answer = { readonly status: number; readonly body: unknown };

async function readyz(server: TestServer): Promise<Answer> {
  const answer = await fetch(`${server.url}/readyz`);
  return { status: answer.status, body: await answer.json() };
}

const patient = { timeout: 120_000, interval: 200 };
const isReady = (server: TestServer) => expect.poll(() => readyz(server), patient).toEqual({ status: 200, body: { ready: true } });
const names = (server: TestServer, parts: readonly string[]) =>
  expect.poll(() => readyz(server), patient).toMatchObject({ status: 503, body: { ready: false, parts } });

describe("readiness", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("names the blob store if its folder is gone", async () => {
    const blobs = join(server.dataDir, "blobs");
    await isReady(server);
    await rename(blobs, `${blobs}-away`);
    // Not a folder, so that it is not simply created again.
    await writeFile(blobs, "");
    await names(server, ["blobs"]);
    await rm(blobs);
    await rename(`${blobs}-away`, blobs);
    await isReady(server);
  });

  it("names the scratch folder if it is gone, and what cannot run without it", async () => {
    const scratch = join(server.dataDir, "scratch");
    const [name = ""] = await readdir(scratch);
    await rename(join(scratch, name), join(scratch, "away"));
    await names(server, expect.arrayContaining(["scratch", "sandbox"]));
    await rename(join(scratch, "away"), join(scratch, name));
    await isReady(server);
    expect((await post(server)).status).toBe(200);
  });

  it("names the broker if it hangs, while the process stays alive", async () => {
    const pid = Number(await readFile(join(server.dataDir, "nats/server.pid"), "utf8"));
    process.kill(pid, "SIGSTOP");
    try {
      await names(server, expect.arrayContaining(["broker"]));
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await isReady(server);
  });

  it("leaves nothing behind, however often it is requested", async () => {
    await isReady(server);
    await removeAllJobs(server);
    const files = () => filesUnder(join(server.dataDir, "blobs"));
    await expect.poll(files).toEqual([]);
    const answers = await Promise.all(Array.from({ length: 500 }, () => fetch(`${server.url}/readyz`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await expect.poll(files).toEqual([]);
  });
});

// Only root can change one process's view of programs and disks.
describe.skipIf(process.getuid?.() !== 0)("readiness in its own mount namespace", () => {
  it("names the sandbox if its launcher stops working", async () => {
    const folder = await mkdtemp(join(tmpdir(), "filemill-bwrap-"));
    const launcher = join(folder, "bwrap");
    await writeFile(launcher, await readFile("/usr/bin/bwrap"));
    await chmod(launcher, 0o755);
    await using server = await startServer({}, undefined, [`mount --bind '${folder}' /opt && mount --bind /opt/bwrap /usr/bin/bwrap`]);
    await isReady(server);
    await chmod(launcher, 0o000);
    await names(server, expect.arrayContaining(["sandbox"]));
    await chmod(launcher, 0o755);
    await isReady(server);
    await rm(folder, { recursive: true });
  });

  it("names blobs and scratch on a read-only disk", async () => {
    // In its own mount namespace, so that only this service sees it.
    await using server = await startServer({}, undefined, ["true"]);
    await isReady(server);
    const inside = (script: string) =>
      execFileSync("nsenter", ["--target", String(server.child.pid), "--mount", "sh", "-ec", script], { cwd: server.dataDir });
    const folders = ["blobs", "scratch"].map((name) => join(server.dataDir, name));
    inside(folders.map((path) => `mount --bind '${path}' '${path}'; mount -o remount,bind,ro '${path}'`).join("; "));
    await names(server, expect.arrayContaining(["blobs", "scratch"]));
    inside(folders.map((path) => `umount '${path}'`).join("; "));
    await isReady(server);
  });
});
