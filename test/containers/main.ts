/**
 * `npm run test:containers [-- --all-engines] [--base IMAGE] [--ca FILE] [--no-build]`: builds the image and runs it with Docker's default
 * flags, with those of the Compose file and degraded, as its user and as root. Needs Docker, and debootstrap if no base can be pulled.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { containerProfile, sandboxCalls } from "#services/conversion/sandbox/container-profile.ts";
import { convertOneOfEach, listingOf } from "#test/harness/smoke.ts";
import { flagsOf } from "./compose-flags.ts";
import { docker, startContainer, untilReady } from "./docker.ts";

const { values } = parseArgs({
  options: {
    "all-engines": { type: "boolean", default: false },
    base: { type: "string", default: "debian:bookworm-slim" },
    ca: { type: "string" },
    "no-build": { type: "boolean", default: false },
  },
});
const image = values["all-engines"] ? "filemill:all" : "filemill";
const port = ["--publish", "127.0.0.1::8080"];
const rows: { case: string; result: string; seconds: number | string; conversions: number | string }[] = [];
let failures = 0;

async function check(name: string, run: () => Promise<Omit<(typeof rows)[number], "case">>): Promise<void> {
  try {
    rows.push({ case: name, ...(await run()) });
  } catch (error) {
    failures += 1;
    rows.push({ case: name, result: `FAILED: ${error instanceof Error ? error.message : error}`, seconds: "", conversions: "" });
  }
  console.log(JSON.stringify(rows.at(-1)));
}

function demand(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}

/** Without access to a registry, the base is built from Debian's archive. */
async function ensureBase(): Promise<void> {
  if (await docker("image", "inspect", values.base).catch(() => undefined)) return;
  if (await docker("pull", values.base).catch(() => undefined)) return;
  const folder = await mkdtemp(join(tmpdir(), "filemill-base-"));
  try {
    const script = `debootstrap --variant=minbase bookworm "$0/root" && tar -C "$0/root" -c . | docker import - "$1"`;
    await promisify(execFile)("sh", ["-c", script, folder, values.base], { maxBuffer: 2 ** 28 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function build(): Promise<void> {
  const secret = values.ca === undefined ? [] : ["--network", "host", "--secret", `id=ca,src=${values.ca}`];
  const engines = values["all-engines"] ? ["--build-arg", "ENGINES=--all-engines"] : [];
  await docker("build", "-f", ".docker/Dockerfile", "-t", image, "--build-arg", `BASE=${values.base}`, ...engines, ...secret, ".");
}

/** Runs until ready, converts one file of each kind, and stops on request. */
async function serves(flags: readonly string[], sandbox: "full" | "degraded", notOffered: readonly string[] = []) {
  await using container = await startContainer(...flags, ...port, image);
  const { seconds, url, key = "" } = await untilReady(container);
  const readiness = JSON.parse(await (await fetch(`${url}/readyz`)).text());
  demand((readiness.sandbox ?? "full") === sandbox, `the sandbox is ${JSON.stringify(readiness)}`);
  const smokes = await convertOneOfEach(url, key);
  const failed = smokes.filter(({ from, to, failure }) => failure !== undefined && !notOffered.includes(`${from} ${to}`));
  demand(failed.length === 0, JSON.stringify(failed));
  const { conversions } = await listingOf(url);
  await docker("exec", container.id, "node", "gateway/setup/is-ready.mjs");
  demand((await docker("exec", container.id, "filemill", "accounts", "list")).includes("plus"), "the command does not reach the service");
  await docker("stop", "--time", "40", container.id);
  demand((await container.exitCode()) === 0, `it ended with ${await container.exitCode()}`);
  return { result: `ready, ${sandbox}`, seconds, conversions };
}

/** @param expected - Must be in the single line that says what to do. */
async function refuses(flags: readonly string[], expected: string) {
  await using container = await startContainer(...flags, image);
  const started = await untilReady(container).then(
    () => true,
    () => false,
  );
  const log = await container.log();
  demand(!started && log.split("\n").some((line) => line.includes(expected)), log.split("\n").slice(-4).join("\n"));
  return { result: "refused, says what to do", seconds: "", conversions: "" };
}

async function endsEarly(flags: readonly string[]) {
  await using container = await startContainer(...flags, image);
  const started = await untilReady(container).then(
    () => true,
    () => false,
  );
  demand(!started, "it started");
  return { result: "does not start", seconds: "", conversions: "" };
}

await ensureBase();
if (!values["no-build"]) await build();
const size = Number((await docker("image", "inspect", "--format", "{{.Size}}", image)).trim());
const ours = await flagsOf(".docker/compose.yaml", "filemill");
const advice = "--security-opt systempaths=unconfined";
// Needs sockets or writes to /tmp, which the weaker sandbox does not allow (SECURITY.md, "Known limits").
const notDegraded = ["html pdf", "ttf woff2"];

await check("default flags", () => refuses([], advice));
await check("default flags, as root", () => refuses(["--user", "0"], advice));
await check("the flags of compose.yaml", () => serves(ours, "full"));
await check("SANDBOX=degraded", () => serves(["--env", "SANDBOX=degraded"], "degraded", notDegraded));
await check("SANDBOX=degraded, as root", () => serves(["--env", "SANDBOX=degraded", "--user", "0"], "degraded", notDegraded));

const folder = await mkdtemp(join(tmpdir(), "filemill-profile-"));
for (const call of sandboxCalls) {
  const file = join(folder, `${call}.json`);
  await writeFile(file, JSON.stringify(containerProfile([call])));
  const flags = ours.map((flag) => (flag.startsWith("seccomp=") ? `seccomp=${file}` : flag));
  await check(`without the call ${call}`, () => endsEarly(flags));
}
await rm(folder, { recursive: true });

console.log(`\n${image}: ${Math.round(size / 1e6)} MB\n`);
console.table(rows);
process.exitCode = failures === 0 ? 0 : 1;
