/** A file that hangs the main process costs only its own job (decision 35). */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { servingArguments, servingEnvironment } from "#gateway/setup/node.mjs";
import { putFound } from "#test/harness/found.ts";
import { processesWith } from "#test/services/conversion/sandbox/host.ts";

/** Noise, which keeps potrace busy for seconds. */
const bitmap = Buffer.concat([Buffer.from("P4\n4096 4096\n"), randomBytes(4096 * 512)]);
const settings = { PORT: "0", RPC_PORT: "0", OFFICE_SLOTS: "0", WATCHDOG_MS: "8000", MAX_ATTEMPTS: "3", INLINE_WAIT_MS: "60000" };

let home: string;
let child: ChildProcess;
let said: string;
beforeEach(async () => {
  await mkdir(".tmp", { recursive: true });
  home = await mkdtemp(resolve(".tmp/filemill-hung-"));
  await putFound(home);
  const preload = pathToFileURL(resolve("test/harness/hangs-at-potrace.mjs")).href;
  const env = {
    ...servingEnvironment,
    ...settings,
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATA_DIR: home,
    HANG_WHEN: join(home, "hang"),
    NODE_OPTIONS: `--import=${preload}`,
  };
  const command = [resolve("gateway/setup/keep-running.sh"), process.execPath, ...servingArguments, "gateway/main.ts"];
  child = spawn("/bin/sh", command, { env, stdio: ["ignore", "pipe", "pipe"] });
  said = "";
  child.stdout?.on("data", (chunk) => {
    said += String(chunk);
  });
  child.stderr?.on("data", (chunk) => {
    said += String(chunk);
  });
  await expect.poll(starts, { timeout: 120_000 }).toBe(1);
});
afterEach(async () => {
  child.kill("SIGKILL");
  await rm(home, { recursive: true, force: true });
});

const count = (text: string): number => said.split(text).length - 1;
const starts = (): number => count("Filemill is ready");
const running = async (): Promise<{ restUrl: string; pid: number }> => JSON.parse(await readFile(join(home, "run.json"), "utf8"));

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const authorization = `Bearer ${/\bfm_[0-9A-Za-z]{49}\b/.exec(said)?.[0]}`;
  return fetch((await running()).restUrl + path, { ...init, headers: { authorization, ...init.headers } });
}

async function send(
  content: string | Buffer<ArrayBuffer>,
  name: string,
  to: string,
  prefer = "respond-async",
): Promise<{ status: number; id: string }> {
  const form = new FormData();
  form.append("to", to);
  form.append("file", new File([content], name));
  const answer = await call("/api/v1/convert", { method: "POST", body: form, headers: { prefer } });
  return { status: answer.status, id: JSON.parse(await answer.text()).job.id };
}

const jobIn = async (id: string) => JSON.parse(await (await call(`/api/v1/jobs/${id}`)).text()).job;

it("restarts the process after each hang, parks the job, and finishes all others", { timeout: 280_000 }, async () => {
  const keeper = child.pid;
  const first = await running();
  const before = await send("# before", "a.md", "html");
  expect(await (await call("/metrics")).text()).toMatch(/^nodejs_eventloop_lag_p50_seconds \d.*^nodejs_eventloop_lag_p99_seconds \d/ms);
  const bad = await send(bitmap, "bad.pbm", "svg");
  // From now on, and after restarts. It may hang before it has answered these.
  await writeFile(join(home, "hang"), "");
  const beside = await Promise.all([1, 2, 3].map((number) => send(`# ${number}`, `${number}.md`, "html").catch(() => undefined)));

  await expect.poll(() => count('"job.parked"'), { timeout: 200_000 }).toBe(1);
  // This run's URL is written once it is ready.
  await expect.poll(async () => (await jobIn(bad.id).catch(() => undefined))?.status, { timeout: 60_000 }).toBe("failed");
  const { error } = await jobIn(bad.id);
  expect(error).toMatchObject({ code: "CONVERSION_FAILED" });
  expect(error.message).toContain("3 times");

  for (const job of [before, ...beside]) {
    if (job !== undefined) await expect.poll(async () => (await jobIn(job.id)).status, { timeout: 60_000 }).toBe("done");
  }
  expect((await send("# after", "b.md", "html", "wait=60")).status).toBe(200);

  expect([count('"process.hung"'), count('"process.restarted"')]).toEqual([3, 3]);
  const last = await running();
  expect(last.pid).not.toBe(first.pid);
  expect([child.pid, child.exitCode]).toEqual([keeper, null]);

  const ended = once(child, "close");
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  await expect.poll(() => processesWith(home)).toEqual([]);
});
