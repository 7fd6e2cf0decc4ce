/** Kills or pauses a process at a chosen moment of a job: `preload.ts` looks for what is armed here. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Moment } from "#kit/moments.ts";

export const moments: readonly Moment[] = [
  "upload stored",
  "record due",
  "job recorded",
  "job accepted",
  "answer due",
  "worker woken",
  "attempt begun",
  "result stored",
  "end recorded",
  "end told",
  "job settling",
  "job taken back",
];

/** The file that arms a signal for the next process to reach the moment. */
export function armedFileOf(dir: string, moment: Moment): string {
  return join(dir, moment.replaceAll(" ", "-"));
}

/** The file that names the process that got the signal. */
export function hitFileOf(dir: string, moment: Moment): string {
  return `${armedFileOf(dir, moment)}.hit`;
}

/**
 * Resolves with the process that got the signal; undefined if none reached the moment in time.
 *
 * @param provoke - Triggers the moment if everyday work does not.
 */
export async function strikeAt(
  dir: string,
  moment: Moment,
  signal: "SIGKILL" | "SIGSTOP",
  limitMs: number,
  provoke?: () => void,
): Promise<number | undefined> {
  const [armed, hit] = [armedFileOf(dir, moment), hitFileOf(dir, moment)];
  mkdirSync(dir, { recursive: true });
  rmSync(hit, { force: true });
  writeFileSync(armed, signal);
  provoke?.();
  for (const until = performance.now() + limitMs; performance.now() < until; await sleep(20)) {
    if (existsSync(hit)) return Number(readFileSync(hit, "utf8"));
  }
  rmSync(armed, { force: true });
  // It may have been taken at this very moment.
  await sleep(100);
  return existsSync(hit) ? Number(readFileSync(hit, "utf8")) : undefined;
}
