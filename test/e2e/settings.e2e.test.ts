/** A failed start names the setting that caused it, and nothing else. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { servingEnvironment } from "#gateway/setup/node.mjs";

test("a taken port, an impossible folder or an invalid value fails startup and names its variable", async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "filemill-settings-"));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const taken = createServer().listen(0, "127.0.0.1");
  stack.defer(() => void taken.close());
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? String(address.port) : "";
  const startWith = (env: Readonly<Record<string, string>>) =>
    spawnSync(process.execPath, ["gateway/main.ts"], {
      env: { ...servingEnvironment, PATH: process.env.PATH, DATA_DIR: dir, PORT: "0", RPC_PORT: "0", LOG_LEVEL: "silent", ...env },
      encoding: "utf8",
    });
  for (const [name, value] of [
    ["PORT", port],
    ["RPC_PORT", port],
    ["DATA_DIR", "/etc/passwd/x"],
    ["DATA_DIR", "/proc/nowhere/x"],
    ["MAX_ATTEMPTS", "0"],
    ["PLANS_FILE", "/nonexistent"],
  ] as const) {
    const { status, stderr } = startWith({ [name]: value });
    expect({ status, lines: stderr.trim().split("\n") }).toEqual({
      status: 78,
      lines: [expect.stringMatching(`(?:^|on )${name} .*${value}`)],
    });
  }
});

test("an unknown plan for new accounts fails startup and names its variable", async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "filemill-settings-"));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const oidc = { OIDC_ISSUER: "http://127.0.0.1:9", OIDC_CLIENT_ID: "filemill", OIDC_PLAN: "gold" };
  const { status, stderr } = spawnSync(process.execPath, ["gateway/main.ts"], {
    env: { ...servingEnvironment, PATH: process.env.PATH, DATA_DIR: dir, PORT: "0", RPC_PORT: "0", LOG_LEVEL: "silent", ...oidc },
    encoding: "utf8",
  });
  expect({ status, text: stderr.trim() }).toEqual({
    status: 78,
    text: 'OIDC_PLAN must be one of this deployment\'s plans (free, plus), not "gold".',
  });
});
