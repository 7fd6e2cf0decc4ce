/** The sweep of what killed attempts left, without the hour or the day that it takes. */
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { entriesOf, filesUnder } from "#test/harness/folders.ts";
import { untilServed } from "./client.ts";
import type { Deployment } from "./deployment.ts";
import type { Customer } from "./ledger.ts";

/** Makes all files old enough while the service is ended, and starts it again, which begins with a sweep. Resolves with what was wrong about its end. */
export async function sweepNow(deployment: Deployment, customer: Customer): Promise<string[]> {
  const [jobs = deployment.gateway] = deployment.keepers.filter(({ name }) => name === "job");
  const ended = await jobs.halt();
  const scratch = join(deployment.dataDir, "scratch");
  const old = [
    ...(await filesUnder(join(deployment.dataDir, "blobs"))),
    ...(await entriesOf(scratch)).map(({ name }) => join(scratch, name)),
  ];
  // Folders of versions before the lock (decision 38) stay for a day, blobs for an hour.
  const longAgo = new Date(Date.now() - 25 * 3600 * 1000);
  for (const path of old) await utimes(path, longAgo, longAgo).catch(() => undefined);
  jobs.resume();
  await untilServed(deployment.url, customer.key);
  return ended === "exit code 0" ? [] : [`${jobs.name} ended with ${ended} when it was asked to`];
}
