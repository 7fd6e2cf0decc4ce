import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { opened } from "#test/harness/opened.ts";
import { startServer } from "#test/harness/server.ts";

const server = opened(startServer);

/** Runs the command as a user does, from another folder. */
async function filemill(...args: string[]): Promise<string> {
  const { stdout, stderr } = await said(...args);
  expect(stderr).toBe("");
  return stdout;
}

async function said(...args: string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const script = fileURLToPath(new URL("../../gateway/setup/filemill.mjs", import.meta.url));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: server.dataDir };
  return promisify(execFile)(process.execPath, [script, ...args], { cwd: "/", env });
}

async function statusWith(key: string): Promise<number> {
  const response = await fetch(`${server.url}/api/v1/jobs`, { headers: { authorization: `Bearer ${key}` } });
  await response.body?.cancel();
  return response.status;
}

test("a key created on the command line grants API access until it is revoked there", async () => {
  const created = await said("accounts", "create", "ada@example.org", "--plan", "plus");
  expect(created.stdout).toMatch(/^acc_\w+\n$/);
  expect(created.stderr).toMatch(/^Sign-in link .*: http\S+\/automate#link=[\w-]{43}\n$/);
  const key = await filemill("keys", "create", "ada@example.org", "--name", "test");
  expect(key).toMatch(/^fm_[0-9A-Za-z]{49}\n$/);
  expect(await statusWith(key.trim())).toBe(200);

  const [id = ""] = /key_\w+/.exec(await filemill("keys", "list", "ada@example.org")) ?? [];
  await filemill("keys", "revoke", id);
  await expect.poll(() => statusWith(key.trim()), { interval: 20 }).toBe(401);
});

test("the first key's account exists and loses access on a plan without API", async () => {
  expect(await filemill("accounts", "list")).toContain("local@filemill.localhost");
  expect(await statusWith(server.key)).toBe(200);
  await filemill("accounts", "set-plan", "local@filemill.localhost", "free");
  await expect.poll(() => statusWith(server.key), { interval: 20 }).toBe(403);
});

test("formats lists the same formats as the service", async () => {
  const listed: { formats: { id: string }[] } = JSON.parse(await (await fetch(`${server.url}/api/v1/formats`)).text());
  const rows = (await filemill("formats")).trimEnd().split("\n").slice(1);
  expect(rows.map((row) => row.split(/\s+/)[0]).sort()).toEqual(listed.formats.map(({ id }) => id).sort());
  expect(await filemill("formats", "png")).toMatch(/^webp +(lossless|high) +inline +\d+ MB +.*\bquality\b/m);
});
