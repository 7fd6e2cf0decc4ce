/** Measures what a small job costs each part of a multi-process installation, and derives the capacity of larger ones. */

import { type Costs, capacityOf, firstFull, meanOf, randomOf, type Site, simulate, stagesOf } from "./capacity-model.ts";
import { type CpuTimes, openCpuMeter } from "./cpu-meter.ts";
import { type ManyProcesses, openManyProcesses } from "./many-processes.ts";
import { recordBytesOf } from "./record-memory.ts";

const warmUps = 150;
const jobs = 400;
const abreast = 8;
const idleMs = 20_000;
/** In addition to the first one, so that the cost of an idle worker shows. */
const moreWorkers = 3;

type Counted = { readonly cpu: Readonly<Record<string, number>>; readonly brokerBytes: number; readonly writes: number };

export async function benchCapacity(): Promise<string[]> {
  await using site = await openManyProcesses();
  const meters = new Map(Object.entries(site.pids).map(([name, pid]) => [name, openCpuMeter(pid)]));
  const look = () => Object.fromEntries([...meters].map(([name, meter]) => [name, totalOf(meter.look())]));
  const counted = async (): Promise<Counted> => ({ cpu: look(), ...(await site.brokerCounts()) });
  const during = async (work: () => Promise<unknown>): Promise<Counted> => {
    const before = await counted();
    await work();
    const after = await counted();
    const cpu = Object.fromEntries(Object.entries(after.cpu).map(([name, ms]) => [name, ms - (before.cpu[name] ?? 0)]));
    return { cpu, brokerBytes: after.brokerBytes - before.brokerBytes, writes: after.writes - before.writes };
  };
  await convertMany(site, warmUps, look);
  const durations: number[] = [];
  const busy = await during(async () => durations.push(...(await convertMany(site, jobs, look))));
  const withOne = await during(() => rest());
  for (let count = 0; count < moreWorkers; count++) await site.addWorker();
  const withMore = await during(() => rest());
  const idle = (of: (counted: Counted) => number) => Math.max(0, of(withMore) - of(withOne)) / moreWorkers / (idleMs / 1000);
  const each = (name: string) => (busy.cpu[name] ?? 0) / jobs;
  const costs: Costs = {
    ...{
      gatewayMs: each("gateway"),
      catalogueMs: each("catalogue"),
      jobMs: each("job"),
      followMs: each("follower"),
      brokerMs: each("broker"),
    },
    workerMs: durations.map((duration) => (duration / meanOf(durations)) * each("conversion")),
    brokerBytes: busy.brokerBytes / jobs,
    recordBytes: await recordBytesOf(await site.records()),
    idle: {
      brokerMs: idle(({ cpu }) => cpu.broker ?? 0),
      brokerBytes: idle(({ brokerBytes }) => brokerBytes),
      jobMs: idle(({ cpu }) => cpu.job ?? 0),
      catalogueMs: idle(({ cpu }) => cpu.catalogue ?? 0),
    },
  };
  return [...costLines(costs, busy.writes / jobs), "", ...siteLines(costs)];
}

function totalOf({ supervisor, broker, engines }: CpuTimes): number {
  return supervisor + broker + engines;
}

/** Long enough for two announcements of each worker, twice over. */
function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, idleMs));
}

/** Durations of the jobs; calls `look` regularly, because an engine's CPU time is lost once it has ended. */
async function convertMany(site: ManyProcesses, count: number, look: () => unknown): Promise<number[]> {
  const durations: number[] = [];
  let begun = 0;
  const one = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      durations.push(await site.convertLater());
      if (durations.length % 20 === 0) look();
    }
  };
  await Promise.all(Array.from({ length: abreast }, one));
  return durations;
}

function costLines(costs: Costs, writes: number): readonly string[] {
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  return [
    "| What a queued job (10 kB PNG to WebP) costs | |",
    "|---|---|",
    `| gateway | ${ms(costs.gatewayMs)} |`,
    `| catalogue | ${ms(costs.catalogueMs)} |`,
    `| its job service | ${ms(costs.jobMs)} |`,
    `| each other job service | ${ms(costs.followMs)} |`,
    `| broker | ${ms(costs.brokerMs)}, ${writes.toFixed(1)} writes, ${(costs.brokerBytes / 1000).toFixed(1)} kB in and out |`,
    `| worker with its engine | ${ms(meanOf(costs.workerMs))} |`,
    `| a kept job in the memory of each job service | ${(costs.recordBytes / 1000).toFixed(1)} kB |`,
    `| a worker at rest, a second | broker ${ms(costs.idle.brokerMs)} and ${(costs.idle.brokerBytes / 1000).toFixed(1)} kB, job service ${ms(costs.idle.jobMs)}, catalogue ${ms(costs.idle.catalogueMs)} |`,
  ];
}

const gigabit = 125e6;
const common = { catalogues: 1, coresOfWorker: 4, copies: 3, networkBytes: 10 * gigabit, keptSeconds: 3600, memoryBytes: 3e9 };

/** For small files, and for files of one megabyte that take their engine a second. */
function siteLines(costs: Costs): readonly string[] {
  const sites: readonly Pick<Site, "workers" | "gateways" | "jobServices">[] = [
    { workers: 1, gateways: 1, jobServices: 1 },
    { workers: 10, gateways: 2, jobServices: 2 },
    { workers: 100, gateways: 8, jobServices: 4 },
    { workers: 1000, gateways: 16, jobServices: 8 },
  ];
  const mean = meanOf(costs.workerMs);
  const slower = { ...costs, workerMs: costs.workerMs.map((ms) => (ms / mean) * 1000) };
  const row = (what: string, of: Costs, fileBytes: number) =>
    sites.map((some) => {
      const site = { ...common, ...some, fileBytes };
      const { part, perSecond } = firstFull(of, site);
      const next = firstOfOthers(of, site, part);
      const at = (share: number) => simulatedDone(of, site, perSecond * share);
      return `| ${what} | ${some.workers} | ${some.gateways}, ${some.jobServices} | ${part} | ${perSecond.toFixed(0)} | ${next} | ${at(0.9)}, ${at(1.2)} |`;
    });
  return [
    "| Jobs | Workers of 4 cores | Gateways, job services | Full first | Jobs a second | Then | Simulated: done in time at 0.9 and 1.2 of it |",
    "|---|---|---|---|---|---|---|",
    ...row("10 kB, small", costs, 10_000),
    ...row("1 MB, 1 s of its engine", slower, 1e6),
  ];
}

function firstOfOthers(costs: Costs, site: Site, part: string): string {
  const others = Object.entries(capacityOf(costs, site)).filter(([name]) => name !== part);
  const [[name, perSecond] = ["", 0] as const] = others.sort(([, a], [, b]) => a - b);
  return `${name} at ${perSecond.toFixed(0)}`;
}

/** Parts without a CPU (networks, memory) are not simulated. */
function simulatedDone(costs: Costs, site: Site, perSecond: number): string {
  if (perSecond === 0) return "nothing";
  const random = randomOf(1);
  const { done, part } = simulate(stagesOf(costs, site, random), perSecond, 200_000, random);
  return `${(done * 100).toFixed(0)} %${done < 0.95 ? ` (${part})` : ""}`;
}
