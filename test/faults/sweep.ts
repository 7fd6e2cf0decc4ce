/** Sweeps what killed attempts left behind, without waiting for the usual hour or day. */
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { entriesOf, filesUnder } from "#test/harness/folders.ts";
import { untilServed } from "./client.ts";
import type { Deployment } from "./deployment.ts";
import type { Customer } from "./ledger.ts";

/** Backdates all files while the service is stopped, then restarts it, which sweeps first. Resolves with what was wrong about its stop. */
export async function sweepNow(deployment: Deployment, customer: Customer): Promise<string[]> {
  const [jobs = deployment.gateway] = deployment.keepers.filter(({ name }) => name === "job");
  const ended = await jobs.halt();
  const scratch = join(deployment.dataDir, "scratch");
  const old = [
    ...(await filesUnder(join(deployment.dataDir, "blobs"))),
    ...(await entriesOf(scratch)).map(({ name }) => join(scratch, name)),
  ];
  // Folders from versions before the lock (decision 38) are kept for a day, blobs for an hour.
  const longAgo = new Date(Date.now() - 25 * 3600 * 1000);
  for (const path of old) await utimes(path, longAgo, longAgo).catch(() => undefined);
  jobs.resume();
  await untilServed(deployment.url, customer.key);
  return ended === "exit code 0" ? [] : [`${jobs.name} ended with ${ended} when it was asked to`];
}
