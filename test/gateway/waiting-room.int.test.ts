/** Starting without NATS, or with NATS rejecting the credentials, used to hang silently. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nkeys } from "nats";
import { afterAll, beforeAll, expect, it } from "vitest";
import { servingArguments } from "#gateway/setup/node.mjs";
import { cannotRunCode } from "#kit/shutdown.ts";
import { freePorts } from "#test/faults/deployment.ts";
import { keep } from "#test/faults/keeper.ts";
import { removeFolder } from "#test/harness/folders.ts";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "filemill-waiting-"));
});
afterAll(() => removeFolder(home));

function start(port: number, env: Readonly<Record<string, string>>): { readonly child: ChildProcess; said(): string } {
  const child = spawn(process.execPath, [...servingArguments, "gateway/main.ts"], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: join(home, "data"), PORT: String(port), RPC_PORT: "0", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += String(chunk);
  });
  return { child, said: () => said };
}

const patient = { timeout: 120_000, interval: 100 };

it("reports an unreachable broker, and exits if the broker refuses the credentials", async () => {
  const [port = 0, nats = 0] = await freePorts(2);
  const creds = join(home, "user.creds");
  const user = Buffer.from(nkeys.createUser().getSeed()).toString();
  const block = (kind: string, text: string) => `-----BEGIN ${kind}-----\n${text}\n------END ${kind}------\n`;
  await writeFile(creds, `${block("NATS USER JWT", "eyJ0eXAiOiJKV1QifQ.e30.e30")}\n${block("USER NKEY SEED", user)}`);
  const { child, said } = start(port, { NATS_URL: `nats://127.0.0.1:${nats}`, NATS_CREDS: creds });
  const at = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).then(async (answer) => [answer.status, await answer.json()]);

  await expect.poll(() => at("/readyz").catch(String), patient).toEqual([503, { ready: false, part: "broker", parts: ["broker"] }]);
  expect(await at("/healthz")).toEqual([200, { alive: true }]);
  expect(await at("/api/v1/formats")).toMatchObject([503, { error: { code: "UNAVAILABLE" } }]);
  await expect.poll(said, patient).toContain('"msg":"broker.unreachable"');
  expect(said()).toContain(`"servers":"127.0.0.1:${nats}"`);
  expect(child.exitCode).toBeNull();

  const config = join(home, "server.conf");
  await writeFile(config, `listen: "127.0.0.1:${nats}"\nauthorization { user: "somebody", password: "else" }\n`);
  const ended = once(child, "close");
  const env = { PATH: `${process.env.PATH}:/usr/sbin` };
  await using _server = keep({ name: "nats", command: ["nats-server", "--config", config], env, logFile: join(home, "nats.log") });
  expect(await ended).toEqual([cannotRunCode, null]);
  expect(said()).toMatch(/^NATS refused the credentials in NATS_CREDS\.$/m);
  expect(said()).not.toContain("    at ");
});
