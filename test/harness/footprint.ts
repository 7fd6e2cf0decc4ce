/** What a running service holds: to see that a request leaves nothing behind. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { treeOf } from "#services/conversion/sandbox/usage.ts";
import { post, removeAllJobs } from "./rest.ts";
import type { TestServer } from "./server.ts";

export type Footprint = { readonly blobs: number; readonly scratch: number; readonly processes: number };

/** @param dataDir - DATA_DIR as this process reaches it. */
export async function footprintOf(server: TestServer, dataDir = server.dataDir): Promise<Footprint> {
  const blobs = await readdir(join(dataDir, "blobs"), { recursive: true, withFileTypes: true });
  const scratch = (await readdir(join(dataDir, "scratch"))).map((name) => join(dataDir, "scratch", name));
  const inside = await Promise.all(scratch.map((folder) => readdir(folder)));
  return {
    blobs: blobs.filter((entry) => entry.isFile()).length,
    scratch: inside.flat().length,
    processes: treeOf(server.child.pid ?? 0).length,
  };
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
