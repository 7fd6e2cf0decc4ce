/** What another user of this machine can do to a running Filemill. Only root can switch to one. */
import { execFile } from "node:child_process";
import { chmod, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { SignInService } from "#gen/filemill/account/v1/sign_in_pb.ts";
import { Health } from "#gen/grpc/health/v1/health_pb.ts";
import { runCli } from "#test/harness/cli.ts";
import { cloneIsOpen } from "#test/harness/clone.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";

const isRoot = process.getuid?.() === 0;
const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];

async function asNobody(...command: readonly string[]): Promise<{ readonly out: string; readonly failure: string }> {
  return promisify(execFile)("setpriv", [...nobody, ...command], { cwd: "/" }).then(
    ({ stdout }) => ({ out: stdout, failure: "" }),
    (error: { stdout: string; stderr: string }) => ({ out: error.stdout, failure: error.stderr }),
  );
}

describe.skipIf(!(isRoot && cloneIsOpen))("another user of this machine", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    // So that DATA_DIR must protect its files itself.
    await chmod(dirname(server.dataDir), 0o755);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const email = "local@filemill.localhost";
  const account = { email };
  const calls = [
    [AccountService.typeName, "ListAccounts", {}],
    [AccountService.typeName, "CreateKey", { account, name: "mine" }],
    [AccountService.typeName, "SetPlan", { account, plan: "free" }],
    [SignInService.typeName, "CreateLink", { account }],
    [SignInService.typeName, "SignInByIdentity", { issuer: "x", subject: "y", email, emailVerified: true, plan: "plus" }],
    [Health.typeName, "Check", {}],
  ] as const;
  const post = (url: string, body: object, ...more: readonly string[]) =>
    asNobody("curl", "-s", ...more, "-w", "%{http_code}", "-H", "content-type: application/json", "-d", JSON.stringify(body), url);

  test.each(calls)("cannot call %s/%s", async (service, method, body) => {
    const { out } = await post(`${server.rpcUrl}/${service}/${method}`, body);
    expect(out).toContain("INVALID_RPC_TOKEN");
    expect(out).toMatch(/401$/);
    // The same call is valid with the token.
    const answer = await fetch(`${server.rpcUrl}/${service}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${server.rpcToken}` },
      body: JSON.stringify(body),
    });
    expect(answer.status, await answer.text()).toBe(200);
  });

  test("cannot connect to the socket", async () => {
    const socket = join(server.dataDir, "rpc.sock");
    const url = `http://localhost/${AccountService.typeName}/ListAccounts`;
    expect((await post(url, {}, "--unix-socket", socket)).out).toBe("000");
    expect(await asNobody("ls", "-l", socket)).toMatchObject({ out: expect.stringMatching(/^srw-------/) });
  });

  test("can read nothing in DATA_DIR except where the service listens", async () => {
    const files: string[] = [];
    for (const name of await readdir(server.dataDir, { recursive: true })) {
      const path = join(server.dataDir, name);
      if ((await stat(path)).isFile()) files.push(path);
    }
    expect(files).toContain(join(server.dataDir, "rpc-token"));
    const { out } = await asNobody("sh", "-c", 'for file; do if [ -r "$file" ]; then echo "$file"; fi; done', "sh", ...files);
    // Also files that sandboxed processes of other users read, and folder locks: our own code, and process names.
    const harmless = new Set(["run.json", "inspector.cjs", "lock"]);
    expect(
      out
        .trim()
        .split("\n")
        .filter((path) => !harmless.has(basename(path))),
    ).toEqual([]);
    expect(out).toContain("run.json");
    expect((await asNobody("cat", join(server.dataDir, "rpc-token"))).failure).toContain("Permission denied");
    expect((await asNobody("ls", server.dataDir)).failure).toContain("Permission denied");
  });

  test("cannot find the token in world-readable process information", async () => {
    const { out } = await asNobody("sh", "-c", `cat /proc/${server.child.pid}/cmdline /proc/${server.child.pid}/environ /proc/net/unix`);
    expect(out).toContain("gateway/main.ts");
    expect(out).not.toContain(server.rpcToken);
    expect(server.log()).not.toContain(server.rpcToken);
  });
});

test("the command finds the service and its token through DATA_DIR alone", async () => {
  await using server = await startServer();
  expect(await runCli(server, ["accounts", "list"])).toContain("local@filemill.localhost");
  await using second = await startServer({ RPC_TOKEN: "a-token-that-an-operator-chose" });
  await expect(runCli(second, ["accounts", "list"])).rejects.toThrow("INVALID_RPC_TOKEN");
});
