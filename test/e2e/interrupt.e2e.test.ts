import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { putFound } from "#test/harness/found.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "filemill-interrupt-"));
  await putFound(dataDir);
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

test("exits cleanly on Ctrl-C, which signals every process of the terminal and some twice", async () => {
  const script = fileURLToPath(new URL("../../gateway/setup/start.mjs", import.meta.url));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT: "0", RPC_PORT: "0" };
  // A separate process group stands in for the terminal's foreground group.
  const child = spawn(process.execPath, [script], { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  let out = "";
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += String(chunk);
  });
  const ready = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk) => {
      out += String(chunk);
      if (out.includes("Filemill is ready")) resolve();
    });
  });
  await Promise.race([ready, ended]);
  expect(out + log).toContain("Filemill is ready");

  process.kill(-(child.pid ?? Number.NaN), "SIGINT");
  child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
  // The broker ran to the end and was stopped by Filemill itself.
  expect(log).not.toContain("broker.ended");
  expect(log).not.toContain("broker.disconnected");
  await expect(access(join(dataDir, "run.json"))).rejects.toThrow("ENOENT");
});

test("SIGTERM to `npm start` alone ends everything that it started", async () => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT: "0", RPC_PORT: "0" };
  const child = spawn("npm", ["start"], { env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  const ready = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk) => {
      out += String(chunk);
      if (out.includes("Filemill is ready")) resolve();
    });
  });
  await Promise.race([ready, once(child, "close")]);
  expect(out).toContain("Filemill is ready");
  const run = JSON.parse(await readFile(join(dataDir, "run.json"), "utf8"));

  // As a supervisor or `kill` does: only npm is signalled, not its group.
  child.kill("SIGTERM");
  await expect.poll(() => isAlive(run.pid), { timeout: 30_000 }).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
