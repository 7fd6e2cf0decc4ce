import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Sandbox, SandboxCommand, SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { attackSandbox } from "#services/conversion/sandbox/self-attack.ts";
import { cloneIsOpen } from "#test/harness/clone.ts";
import { describeSandboxes, isRoot, openHost } from "./host.ts";

const asUser = fileURLToPath(new URL("./as-user.ts", import.meta.url));
const nobody = 65_534;

const nothingUsed = { processorMs: 0, outputBytes: 0 };

describeSandboxes("the attack at startup on the %s sandbox", (mode) => {
  it("fails on this host", async () => {
    await using host = await openHost(mode);
    await attackSandbox(host.sandbox, join(host.folder, "scratch"));
    expect(host.sandbox.mode).toBe(mode);
  });
});

describe("the attack at startup", () => {
  it("rejects a sandbox without isolation and names what got through", async () => {
    const folder = await mkdtemp(join(tmpdir(), "filemill-leaky-"));
    await using host = await openHost("full");
    const leaky: Sandbox = { ...host.sandbox, run: (command) => runBare(command) };
    const refusal: unknown = await attackSandbox(leaky, folder).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "UNAVAILABLE" });
    for (const leak of [
      "a file outside was read",
      "a TCP port of the host was reached",
      "an abstract socket",
      "more processes",
      "memory beyond",
      "the descriptor 3 came in (/etc/hostname)",
      "no seccomp",
    ]) {
      expect(String(refusal)).toContain(leak);
    }
    await rm(folder, { recursive: true });
  });

  it("is repeated if its processes were killed from outside, which proves nothing about the sandbox", async () => {
    const folder = await mkdtemp(join(tmpdir(), "filemill-disturbed-"));
    await using host = await openHost("full");
    const killed: SandboxEnd = { killed: undefined, exitCode: undefined, signal: "SIGKILL", stdout: "", stderr: "", ...nothingUsed };
    const ends = [killed, { ...killed, exitCode: 137, signal: undefined }];
    const disturbed: Sandbox = { ...host.sandbox, run: async (command) => ends.pop() ?? host.sandbox.run(command) };
    await attackSandbox(disturbed, folder);
    expect(ends).toEqual([]);
    const always: Sandbox = { ...host.sandbox, run: async () => killed };
    await expect(attackSandbox(always, folder)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await rm(folder, { recursive: true });
  });

  it.runIf(isRoot && cloneIsOpen)("fails if Filemill runs as an ordinary user", async () => {
    const home = await mkdtemp(join(tmpdir(), "filemill-user-"));
    await chown(home, nobody, nobody);
    await chmod(home, 0o755);
    const identity = ["--reuid", String(nobody), "--regid", String(nobody), "--clear-groups"];
    const { stdout } = await promisify(execFile)("/usr/bin/setpriv", [...identity, process.execPath, asUser], {
      env: { PATH: "/usr/bin", TMPDIR: home },
    });
    const said: { end: SandboxEnd; forks: number; scratch: string } = JSON.parse(stdout);
    expect(said.end.stdout).toMatch(/^65534$/m);
    expect(said.end.stdout).toMatch(/^CapEff:\s+0+$/m);
    expect(said.end.stdout).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(said.end.stdout).toMatch(/^Seccomp:\s+2$/m);
    expect(said.end.stdout).not.toContain("root:");
    expect(said.forks).toBeGreaterThan(5);
    expect(said.forks).toBeLessThanOrEqual(20);
    expect(existsSync(dirname(said.scratch))).toBe(false);
    await rm(home, { recursive: true });
  });

  it.runIf(isRoot && cloneIsOpen)("fails if the user has more processes in another container than a run may have", async () => {
    const uid = 62_399;
    const home = await mkdtemp(join(tmpdir(), "filemill-user-"));
    await chown(home, uid, uid);
    await chmod(home, 0o755);
    const identity = ["/usr/bin/setpriv", "--reuid", String(uid), "--regid", String(uid), "--clear-groups", "--"];
    const script = "for n in $(seq 100); do sleep 600 & done; echo started; wait";
    const others = spawn(identity[0] ?? "", [...identity.slice(1), "/bin/sh", "-c", script], { detached: true });
    try {
      await once(others.stdout, "data");
      const apart = ["--pid", "--fork", "--mount-proc", "--kill-child", ...identity, process.execPath, asUser, "degraded"];
      const { stdout } = await promisify(execFile)("/usr/bin/unshare", apart, { env: { PATH: "/usr/bin", TMPDIR: home } });
      const { forks }: { forks: number } = JSON.parse(stdout);
      expect(forks).toBeGreaterThan(5);
      expect(forks).toBeLessThanOrEqual(20);
    } finally {
      process.kill(-(others.pid ?? 0), "SIGKILL");
      await rm(home, { recursive: true });
    }
  });
});

/** Runs the attack programs without any sandbox and with a leaked descriptor. */
async function runBare({ program, args, readOnly = {} }: SandboxCommand): Promise<SandboxEnd> {
  const hostPathOf = (inside: string) => Object.entries(readOnly).find(([, to]) => to === inside)?.[0] ?? inside;
  const secret = openSync("/etc/hostname", "r");
  const child: ChildProcess = spawn(hostPathOf(program), args.map(hostPathOf), { stdio: ["ignore", "pipe", "pipe", secret] });
  closeSync(secret);
  const [stdout, stderr] = await Promise.all([child.stdout, child.stderr].map((stream) => (stream === null ? "" : text(stream))));
  return { killed: undefined, exitCode: 0, signal: undefined, stdout: stdout ?? "", stderr: stderr ?? "", ...nothingUsed };
}
