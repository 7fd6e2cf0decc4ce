/**
 * `npm run test:systems [-- --only trixie,noble] [--as root|filemill] [--cache FOLDER] [--ca FILE]
 * [--all-engines]`: runs `npm start` on bare systems with packages from their own archives, as root and as an
 * ordinary user, until it is ready, then one conversion of each everyday kind. Requires root and debootstrap.
 *
 * With `--prove MINUTES` instead: adds to the proofs for the system's versions, services/catalogue/proofs, for at most that long.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { convertOneOfEach, listingOf } from "#test/harness/smoke.ts";
import { commandIn, ensureBase, makeRoot, type System, systems } from "./roots.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    as: { type: "string" },
    cache: { type: "string", default: ".tmp/systems" },
    ca: { type: "string" },
    "all-engines": { type: "boolean", default: false },
    /** How long proving everyday conversions may take on versions without a proof. */
    "proving-minutes": { type: "string", default: "20" },
    prove: { type: "string" },
  },
});

type Row = { system: string; user: string; node: string; readySeconds: number; listed: string; provenSeconds: number; failed: string };
const rows: Row[] = [];

const environment = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  DEBIAN_FRONTEND: "noninteractive",
  LANG: "C.UTF-8",
  PORT: "0",
  RPC_PORT: "0",
  ...(values.ca === undefined ? {} : { NODE_EXTRA_CA_CERTS: "/etc/ssl/more.crt" }),
};

async function inside(root: string, script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const [file = "", ...args] = commandIn(root, ["/bin/sh", "-ec", script]);
  const child = spawn(file, args, { env: { ...environment, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const said = collect(child);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${script} ended with ${code}:\n${said().split("\n").slice(-20).join("\n")}`);
  return said();
}

function collect(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8");
    stream?.on("data", (part: string) => {
      text += part;
    });
  }
  return () => text;
}

/** Runs `npm start` until it is ready, converts, and stops it. */
async function tryStart(system: System, root: string, user: "root" | "filemill"): Promise<void> {
  const node = (await inside(root, "echo $(node --version), npm $(npm --version)")).trim();
  const flags = values["all-engines"] ? " -- --all-engines" : "";
  const script = `cd /opt/filemill && exec npm start${flags}`;
  const command = user === "root" ? ["/bin/sh", "-c", script] : ["/usr/sbin/runuser", "-u", user, "--", "/bin/sh", "-c", script];
  const [file = "", ...args] = commandIn(root, command);
  const began = performance.now();
  const child = spawn(file, args, { env: { ...environment, DATA_DIR: `/var/filemill-${user}` }, stdio: ["ignore", "pipe", "pipe"] });
  const said = collect(child);
  try {
    const url = await untilSaid(child, said, /Filemill is ready\. +(http\S+)\//);
    const readySeconds = Math.round((performance.now() - began) / 1000);
    const key = await untilSaid(child, said, /^ {2}(fm_\S+)$/m);
    const first = await listingOf(url);
    const failed = await untilAllConvert(url, key);
    const provenSeconds = Math.round((performance.now() - began) / 1000) - readySeconds;
    const { formats, conversions } = await listingOf(url);
    const listed = `${first.conversions} at first, then ${conversions} (${formats} formats)`;
    rows.push({ system: system.name, user, node, readySeconds, listed, provenSeconds, failed });
    console.log(JSON.stringify(rows.at(-1)));
    if (failed !== "") console.log(troublesOf(said()));
  } finally {
    // unshare ignores signals while it waits for its child; killing it ends the whole namespace.
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  }
}

async function untilSaid(child: ChildProcess, said: () => string, pattern: RegExp): Promise<string> {
  for (;;) {
    const found = pattern.exec(said())?.[1];
    if (found !== undefined) return found;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(said().split("\n").slice(-30).join("\n"));
    await sleep(250);
  }
}

/** Warnings and errors of the service, latest last. */
function troublesOf(said: string): string {
  const lines = said.split("\n").filter((line) => /"level":"(warn|error|fatal)"/.test(line) && !line.includes('"catalogue.unproven"'));
  return lines.slice(-40).join("\n");
}

/** On a system with other versions, the service proves conversions in the background, everyday ones first. */
async function untilAllConvert(url: string, key: string): Promise<string> {
  const until = performance.now() + Number(values["proving-minutes"]) * 60_000;
  for (;;) {
    const failures = (await convertOneOfEach(url, key)).filter(({ failure }) => failure !== undefined);
    if (failures.length === 0) return "";
    if (performance.now() > until) return failures.map(({ from, to, failure }) => `${from} → ${to}: ${failure}`).join("; ");
    // The rate limit would refuse more.
    await sleep(20_000);
  }
}

/** Installs what the readers need; results are kept when time is up. */
async function proveOn({ proofs }: System, root: string, minutes: number): Promise<void> {
  const name = `services/catalogue/proofs/${proofs}.tsv`;
  const env = { DATA_DIR: "/var/filemill-proving", PROOF_FILE: `/opt/filemill/${name}` };
  await mkdir(dirname(join(root, env.PROOF_FILE)), { recursive: true });
  const script = `cd /opt/filemill && timeout ${minutes}m npm run -s prove -- --local`;
  const [file = "", ...args] = commandIn(root, ["/bin/sh", "-c", script]);
  const child = spawn(file, args, { env: { ...environment, ...env }, stdio: ["ignore", "inherit", "inherit"] });
  const keep = () => cp(join(root, env.PROOF_FILE), resolve(name)).catch(() => undefined);
  const timer = setInterval(() => void keep(), 60_000);
  await once(child, "close");
  clearInterval(timer);
  await keep();
}

async function trySystem(system: System): Promise<void> {
  const cache = resolve(values.cache);
  const base = await ensureBase(system, cache);
  await using root = await makeRoot(base, join(cache, `${system.suite}.root`), values.ca && resolve(values.ca));
  await inside(root.path, "apt-get -q update && apt-get -y -q --no-install-recommends install npm ca-certificates");
  if (values.prove !== undefined) return await proveOn(system, root.path, Number(values.prove));
  if (values.as !== "filemill") await tryStart(system, root.path, "root");
  else await inside(root.path, "cd /opt/filemill && node gateway/setup/install.mjs --system");
  if (values.as === "root") return;
  await inside(
    root.path,
    "useradd --create-home filemill && rm -rf /opt/filemill/node_modules && chown -R filemill /opt/filemill && install -d -o filemill /var/filemill-filemill",
  );
  await tryStart(system, root.path, "filemill");
}

let failures = 0;
for (const system of systems.filter(({ suite }) => values.only === undefined || values.only.split(",").includes(suite))) {
  try {
    await trySystem(system);
  } catch (error) {
    failures += 1;
    console.error(`${system.name}: ${error instanceof Error ? error.message : error}`);
  }
}
console.table(rows);
process.exitCode = failures === 0 && rows.every(({ failed }) => failed === "") ? 0 : 1;
