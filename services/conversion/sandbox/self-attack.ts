/** Attacks the sandbox from within. A version check proves nothing, but an attack that fails does. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FilemillError } from "#contract/errors.ts";
import { DoesNotHold } from "../domain/failure.ts";
import type { Sandbox, SandboxCommand, SandboxEnd } from "../domain/sandbox.ts";

const program = fileURLToPath(new URL("./self-attack-child.mjs", import.meta.url));
const memoryBytes = 256 * 2 ** 20;
const processes = 32;
/**
 * It usually takes a quarter of a second. A runaway ends by its CPU time limit. A host that is busy for minutes at the start is no hole in
 * the sandbox.
 */
const limitMs = 300_000;
const cpuSeconds = 30;
const maxTries = 3;
/** Exit code of bubblewrap if the program that it started was killed. */
const killedExitCode = 137;

/**
 * Runs a hostile program with the same recipe as every job and checks what it reached.
 *
 * @throws DoesNotHold that names the attacks that succeeded, or FilemillError UNAVAILABLE with the reason why there is no sandbox at all.
 */
export async function attackSandbox(sandbox: Sandbox, scratchDir: string): Promise<void> {
  const secret = randomBytes(16).toString("hex");
  const canary = join(scratchDir, `canary-${secret}`);
  const abstractName = `filemill-${secret}`;
  await writeFile(canary, secret, { mode: 0o600 });
  const [tcp, abstract] = await Promise.all([listen({ host: "127.0.0.1", port: 0 }), listen({ path: `\0${abstractName}` })]);
  try {
    const target = { canary, port: portOf(tcp), abstractName, processes, memoryBytes, mode: sandbox.mode, host: process.pid };
    const listing = await runUndisturbed(sandbox, { program: "/bin/ls", args: ["-l", "/proc/self/fd"], limits: { wallMs: limitMs } });
    const end = await runUndisturbed(sandbox, {
      program: "/opt/node",
      args: ["--max-old-space-size=64", "/opt/attack.mjs", Buffer.from(JSON.stringify(target)).toString("base64")],
      readOnly: { [process.execPath]: "/opt/node", [program]: "/opt/attack.mjs" },
      limits: { wallMs: limitMs, cpuSeconds, memoryBytes, addressSpace: false, processes },
    });
    const through = [...descriptorsOf(listing), ...throughOf(end)];
    if (through.length > 0) throw new DoesNotHold(through);
  } catch (error) {
    throw explained(error);
  } finally {
    await Promise.all([close(tcp), close(abstract), rm(canary, { force: true })]);
  }
}

/** If something else killed the run, such as a kernel that is short of memory, it says nothing about the sandbox yet. */
async function runUndisturbed(sandbox: Sandbox, command: SandboxCommand): Promise<SandboxEnd> {
  for (let tries = 1; ; tries += 1) {
    const end = await sandbox.run(command);
    const isDisturbed = end.killed === undefined && (end.signal === "SIGKILL" || end.exitCode === killedExitCode);
    if (!isDisturbed) return end;
    if (tries === maxTries) throw new FilemillError("UNAVAILABLE", "The test of the sandbox was stopped from outside.");
  }
}

const ownDescriptors = ["0", "1", "2"];

/** The hostile program cannot list them itself, because Node hides some inherited descriptors from its children when it starts. */
function descriptorsOf({ stdout }: SandboxEnd): string[] {
  const found = new Map([...stdout.matchAll(/ (\d+) -> (.*)$/gm)].map(([, descriptor = "", target = ""]) => [descriptor, target]));
  if (!ownDescriptors.every((descriptor) => found.has(descriptor))) return ["the descriptors that came in could not be listed"];
  return [...found]
    .filter(([descriptor, target]) => !(ownDescriptors.includes(descriptor) || isListing(target)))
    .map(([descriptor, target]) => `the descriptor ${descriptor} came in (${target})`);
}

function isListing(target: string): boolean {
  return /^\/proc\/\d+\/fd$/.test(target);
}

/** The attacks that succeeded, one line each. The program must print `complete` at the end; otherwise the self-test counts as failed. */
function throughOf(end: SandboxEnd): string[] {
  const lines = end.stdout.split("\n").filter((line) => line !== "");
  if (lines.at(-1) !== "complete") return [`the self-test ended early (${(end.stderr || end.stdout).trim().slice(0, 300) || end.killed})`];
  const through = lines.filter((line) => line.startsWith("through ")).map((line) => line.slice("through ".length));
  // The last attack allocates memory until it is stopped.
  if (end.killed !== "memory") through.push("memory beyond the limit was granted");
  return through;
}

function explained(error: unknown): unknown {
  if (!(error instanceof FilemillError) || !(error.cause instanceof Error)) return error;
  const said = error.cause.message;
  if (/namespace|uid map|Operation not permitted|setting up/i.test(said)) {
    return new FilemillError(
      "UNAVAILABLE",
      `The kernel does not let bubblewrap make namespaces here ("${said}"). ${adviceOf(isInContainer())}`,
      {
        cause: error.cause,
      },
    );
  }
  return new FilemillError("UNAVAILABLE", `${error.message} ${said}`, { cause: error.cause });
}

/** Files that Docker, Podman and Kubernetes leave in each container. */
function isInContainer(): boolean {
  return ["/.dockerenv", "/run/.containerenv", "/var/run/secrets/kubernetes.io"].some((path) => existsSync(path));
}

/** How to get the full sandbox, in one line. */
export function adviceOf(inContainer: boolean): string {
  const full = inContainer
    ? "Start the container with --user 1000 --cap-drop ALL --security-opt no-new-privileges --security-opt seccomp=.docker/seccomp.json " +
      "--security-opt systempaths=unconfined --security-opt apparmor=unconfined (as .docker/compose.yaml does)"
    : "Allow them (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces > 0, kernel.apparmor_restrict_unprivileged_userns=0)";
  return `${full}, or set SANDBOX=degraded for the weaker sandbox.`;
}

function listen(where: { host: string; port: number } | { path: string }): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", reject);
    server.listen(where, () => resolve(server));
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
