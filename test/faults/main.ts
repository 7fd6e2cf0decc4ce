/**
 * `npm run test:faults -- [--seed N]… [--short] [--only NAME]…`: kills, pauses and starves Filemill under load, and checks what remains.
 */
import { mkdir, mkdtemp } from "node:fs/promises";
import { resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { root } from "#gateway/setup/node.mjs";
import { createDice } from "#test/fuzz/mutate.ts";
import { removeFolder } from "#test/harness/folders.ts";
import { powerCut, readOnly } from "./bad-disk.ts";
import { clockSteps } from "./clock.ts";
import { moments } from "./crash-points.ts";
import { openOneProcess, openSeveralProcesses } from "./deployment.ts";
import { fullDisks } from "./full-disk.ts";
import { mountRefusal } from "./mounts.ts";
import { outage } from "./outage.ts";
import { type Outcome, storm, type Weather } from "./storm.ts";
import { versionRefusal, versions } from "./versions.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", multiple: true },
    short: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    verbose: { type: "boolean", default: false },
  },
});
const isShort = values.short;
// Mounts are removed on exit, and child processes end with this one.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
const seeds = (values.seed ?? (isShort ? [String(Date.now() % 1_000_000)] : ["1", "2", "3"])).map(Number);

type Fault = {
  readonly name: string;
  readonly isInShort: boolean;
  /** Returns why it cannot run here, if so. */
  readonly refusal?: (home: string) => Promise<string | undefined>;
  readonly run: (home: string, seed: number) => Promise<Outcome>;
};

const faults: readonly Fault[] = [
  {
    name: "storm-one",
    isInShort: false,
    run: async (home, seed) => inDeployment(await openOneProcess({ home }), (one) => storm(one, weatherOf(seed), say)),
  },
  {
    name: "storm-several",
    isInShort: true,
    run: async (home, seed) => inDeployment(await openSeveralProcesses({ home }), (several) => storm(several, weatherOf(seed), say)),
  },
  {
    name: "outage-one",
    isInShort: false,
    run: async (home, seed) => inDeployment(await openOneProcess({ home }), (one) => outage(one, seed, 60_000)),
  },
  {
    name: "outage-several",
    isInShort: false,
    run: async (home, seed) => inDeployment(await openSeveralProcesses({ home }), (several) => outage(several, seed, 60_000)),
  },
  { name: "full-disks", isInShort: false, refusal: mountRefusal, run: (home, seed) => fullDisks(home, seed, 8000) },
  { name: "power-cut", isInShort: true, refusal: mountRefusal, run: powerCut },
  { name: "read-only", isInShort: false, refusal: mountRefusal, run: readOnly },
  { name: "clock", isInShort: false, run: clockSteps },
  { name: "versions", isInShort: false, refusal: versionRefusal, run: versions },
];

const total = { accepted: 0, kills: 0, lost: 0, twice: 0, failed: 0, skipped: 0 };
const chosen = faults.filter(({ name, isInShort }) => values.only?.includes(name) ?? (isInShort || !isShort));
for (const seed of seeds) for (const fault of chosen) await inFolder(fault, seed);
const { accepted, kills, lost, twice, failed, skipped } = total;
console.log(
  `\nseeds ${seeds.join(", ")}: accepted ${accepted}, kills ${kills}, lost ${lost}, twice ${twice}; ${failed} faults did harm, ${skipped} skipped`,
);
// Not just an exit code: a NATS client waiting for a broker that is gone for good cannot be stopped.
process.exit(failed === 0 && chosen.length > 0 ? 0 : 1);

function weatherOf(seed: number): Weather {
  if (!isShort) return { seed, clients: 6, moments, signals: ["SIGKILL", "SIGSTOP"], blows: 30 };
  // A different part each time.
  const dice = createDice(seed);
  const some = moments.toSorted(() => dice.below(3) - 1).slice(0, 5);
  return { seed, clients: 4, moments: some, signals: ["SIGKILL"], blows: 6 };
}

async function inDeployment<D extends AsyncDisposable>(opened: D, work: (deployment: D) => Promise<Outcome>): Promise<Outcome> {
  await using deployment = opened;
  return await work(deployment);
}

function say(line: string): void {
  if (values.verbose) console.log(`  ${new Date().toISOString().slice(11, 19)} ${line}`);
}

/** The log is kept if something was wrong. */
async function inFolder({ name, refusal, run }: Fault, seed: number): Promise<void> {
  await mkdir(resolve(root, ".tmp"), { recursive: true });
  const home = await mkdtemp(resolve(root, ".tmp/faults-"));
  const refused = await refusal?.(home);
  console.log(`\n${name}, seed ${seed}${refused === undefined ? "" : `: SKIPPED, ${refused}`}`);
  const startedMs = performance.now();
  const isWell = refused !== undefined || (await run(home, seed).then(report, unexpected));
  console.log(`  ${Math.round((performance.now() - startedMs) / 1000)} s`);
  total.skipped += refused === undefined ? 0 : 1;
  total.failed += isWell ? 0 : 1;
  if (isWell) await removeFolder(home);
  else console.log(`  what it wrote is in ${home}`);
}

function unexpected(error: unknown): boolean {
  console.log(error);
  return false;
}

function report(outcome: Outcome): boolean {
  for (const [row, hits] of outcome.rows) console.log(`  ${String(hits).padStart(4)}  ${row}`);
  const wrong = [...outcome.lost, ...outcome.twice, ...outcome.defects];
  for (const each of wrong.slice(0, 40)) console.log(`  WRONG: ${each}`);
  console.log(
    `  accepted ${outcome.accepted} (${outcome.requests} requests), kills ${outcome.kills}, lost ${outcome.lost.length}, twice ${outcome.twice.length}, other defects ${outcome.defects.length}`,
  );
  total.accepted += outcome.accepted;
  total.kills += outcome.kills;
  total.lost += outcome.lost.length;
  total.twice += outcome.twice.length;
  return wrong.length === 0;
}
