// Slow test files take turns over four days (decision 93).
// @ts-check
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { root } from "#gateway/setup/node.mjs";

/** One file in so many runs on a day. Has no factor in common with the share of rows, so that each row's day comes. */
const share = 4;
const msPerDay = 86_400_000;

/** What every run takes: the promises of the API, accounts, jobs, the sandbox, attacks, a page. */
const everyRun = [
  "attacks/attacks.",
  "contract/",
  "e2e/error-table.",
  "e2e/every-kind.",
  "e2e/everyday-formats.",
  "e2e/hostile-door.",
  "faults/",
  "gateway/web/converter.",
  "services/account/",
  "services/job/",
  "services/conversion/sandbox/sandbox.",
].map((start) => `test/${start}`);

/**
 * @param {readonly string[]} files relative to the clone
 * @param {number} day since 1970 (UTC)
 */
export function filesInTurn(files, day) {
  /** @param {string} file */
  const isInEveryRun = (file) => everyRun.some((start) => file.startsWith(start));
  const others = files.filter((file) => !isInEveryRun(file)).sort();
  return [...files.filter(isInEveryRun), ...others.filter((_, at) => (at + day) % share === 0)];
}

/**
 * @param {string} suffix such as "e2e"
 * @returns {Promise<readonly string[]>} today's files, relative to the clone
 */
export async function todaysFiles(suffix) {
  const entries = await readdir(join(root, "test"), { recursive: true });
  const files = entries.filter((name) => name.endsWith(`.${suffix}.test.ts`)).map((name) => join("test", name));
  return filesInTurn(files, Math.floor(Date.now() / msPerDay));
}
