/** Resources held by a running service, to check that a request leaves nothing behind. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { treeOf } from "#services/conversion/sandbox/usage.ts";
import { entriesOf, filesUnder } from "./folders.ts";
import { post, removeAllJobs } from "./rest.ts";
import type { TestServer } from "./server.ts";

export type Footprint = {
  readonly blobs: number;
  readonly scratch: number;
  /** Number of the service's children that run the same programs, each with its descendants. */
  readonly processes: Readonly<Record<string, number>>;
};

/** @param dataDir - DATA_DIR as this process reaches it. */
export async function footprintOf(server: TestServer, dataDir = server.dataDir): Promise<Footprint> {
  const scratch = join(dataDir, "scratch");
  const inside = await Promise.all((await entriesOf(scratch)).map(({ name }) => entriesOf(join(scratch, name))));
  return {
    blobs: (await filesUnder(join(dataDir, "blobs"))).length,
    scratch: inside.flat().length,
    processes: processesUnder(server.child.pid ?? 0),
  };
}

function processesUnder(service: number): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const pid of treeOf(service).filter((each) => parentOf(each) === service)) {
    // A browser has a varying number of processes, with varying numbers in its options, which it separates with blanks.
    const programs = [...new Set(treeOf(pid).map(programOf))].join(" | ");
    found[programs] = (found[programs] ?? 0) + 1;
  }
  return found;
}

function parentOf(pid: number): number | undefined {
  const status = read(`/proc/${pid}/status`);
  return status === undefined ? undefined : Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
}

/** Command lines of sandbox launchers contain a user and a mark of their own. */
const launcher = "sandbox";

function programOf(pid: number): string {
  const words = (read(`/proc/${pid}/cmdline`) ?? "ended").split(/[\0 ]+/);
  if (words[0]?.startsWith("filemill-sandbox:")) return launcher;
  return words
    .filter((word) => !word.startsWith("-"))
    .join(" ")
    .trim();
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

/** Three seconds without a change: warm engines start together with the service, and each step of that adds a process. */
const looksAlike = 30;

/** The resources of an idle service, once its warm engines are running. @param dataDir - See footprintOf. */
export async function footprintAtRest(server: TestServer, dataDir = server.dataDir): Promise<Footprint> {
  let last = await footprintOf(server, dataDir);
  for (let alike = 0; alike < looksAlike; ) {
    await sleep(100);
    const now = await footprintOf(server, dataDir);
    alike = JSON.stringify(now) === JSON.stringify(last) ? alike + 1 : 0;
    last = now;
  }
  return last;
}

/** For inspectors; an engine has as many processes as its lane has slots, three by default. */
const mostOfAPool = 4;

/**
 * What exists now but did not before. There may be fewer processes, as ended warm engines may not be back yet. A warm engine
 * may also have more, each with its folder, since others are started for waiting jobs, but no more than its pool holds.
 */
export async function leftBehind(server: TestServer, before: Footprint): Promise<string[]> {
  const now = await footprintOf(server);
  const more = (programs: string) => (now.processes[programs] ?? 0) - (before.processes[programs] ?? 0);
  const grown = Object.keys(now.processes).filter((each) => more(each) > 0);
  const isPool = (programs: string) =>
    programs in before.processes && programs.startsWith(launcher) && (now.processes[programs] ?? 0) <= mostOfAPool;
  const left = grown.filter((each) => !isPool(each));
  const folders = now.scratch - before.scratch - grown.filter(isPool).reduce((sum, each) => sum + more(each), 0);
  return [
    ...(now.blobs > before.blobs ? [`${now.blobs - before.blobs} blobs`] : []),
    ...(folders > 0 ? [`${folders} scratch`] : []),
    ...left.map((programs) => `${more(programs)} of ${programs}`),
  ];
}

/** Whatever was sent: the next conversion works, and no scratch folder, blob or process is left once its jobs are removed. */
export async function expectUnharmed(server: TestServer, before: Footprint): Promise<void> {
  expect((await post(server)).status).toBe(200);
  await removeAllJobs(server);
  await expect.poll(() => leftBehind(server, before)).toEqual([]);
}
