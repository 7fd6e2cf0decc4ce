/** The sweep of what killed attempts left, without the hour that it takes. */
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { filesUnder } from "#test/harness/folders.ts";
import { untilServed } from "./client.ts";
import type { Deployment } from "./deployment.ts";
import type { Customer } from "./ledger.ts";

/** Makes all files old enough while the service is ended, and starts it again, which begins with a sweep. Resolves with what was wrong about its end. */
export async function sweepNow(deployment: Deployment, customer: Customer): Promise<string[]> {
  const [jobs = deployment.gateway] = deployment.keepers.filter(({ name }) => name === "job");
  const ended = await jobs.halt();
  const longAgo = new Date(Date.now() - 2 * 3600 * 1000);
  for (const path of await filesUnder(join(deployment.dataDir, "blobs"))) await utimes(path, longAgo, longAgo).catch(() => undefined);
  jobs.resume();
  await untilServed(deployment.url, customer.key);
  return ended === "exit code 0" ? [] : [`${jobs.name} ended with ${ended} when it was asked to`];
}
