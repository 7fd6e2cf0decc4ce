/** What a running service holds: to see that a request leaves nothing behind. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { treeOf } from "#services/conversion/sandbox/usage.ts";
import { entriesOf, filesUnder } from "./folders.ts";
import { post, removeAllJobs } from "./rest.ts";
import type { TestServer } from "./server.ts";

export type Footprint = { readonly blobs: number; readonly scratch: number; readonly processes: number };

/** @param dataDir - DATA_DIR as this process reaches it. */
export async function footprintOf(server: TestServer, dataDir = server.dataDir): Promise<Footprint> {
  const scratch = join(dataDir, "scratch");
  const inside = await Promise.all((await entriesOf(scratch)).map(({ name }) => entriesOf(join(scratch, name))));
  return {
    blobs: (await filesUnder(join(dataDir, "blobs"))).length,
    scratch: inside.flat().length,
    processes: treeOf(server.child.pid ?? 0).length,
  };
}

/** Three seconds without a change: warm engines begin to start with the service, and each step of that is one more process. */
const looksAlike = 30;

/** What a service holds while it has nothing to do, once its warm engines are there. @param dataDir - See footprintOf. */
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

/** What is there now and was not before. Warm engines that were ended may not be there again yet, so there may be less. */
export async function leftBehind(server: TestServer, before: Footprint): Promise<string[]> {
  const now = await footprintOf(server);
  return (["blobs", "scratch", "processes"] as const).flatMap((kind) =>
    now[kind] > before[kind] ? [`${now[kind] - before[kind]} ${kind}`] : [],
  );
}

/** Whatever was sent: the next conversion works, and no scratch folder, blob or process is left once its jobs are removed. */
export async function expectUnharmed(server: TestServer, before: Footprint): Promise<void> {
  expect((await post(server)).status).toBe(200);
  await removeAllJobs(server);
  await expect.poll(() => leftBehind(server, before)).toEqual([]);
}
