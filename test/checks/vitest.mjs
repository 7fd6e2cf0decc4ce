// Runs tests and counts them.
// @ts-check
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { root } from "#gateway/setup/node.mjs";
import { runTool } from "./tool.mjs";
import { afterSecondRun, failuresOf, filesToRunAgain } from "./unsteady.mjs";

/** @typedef {import("./unsteady.mjs").Report} Report */
/** @typedef {{ passed: number, failed: number, failures?: readonly string[], unsteady?: readonly string[] }} Counts
 * `failures`: one line per test; `unsteady`: passed in the second run only. */

/**
 * A run that fails without a failed test (a file that does not load, an unhandled error) counts as one failure.
 * @param {readonly string[]} args
 * @param {{ files?: readonly string[], secondRun?: boolean }} [options] - `files`: by default all. `secondRun`: files with failures are
 * run once more, alone (decision 33).
 * @returns {Promise<Counts>}
 */
export async function runVitest(args, { files = [], secondRun = false } = {}) {
  const first = await run([...args, ...files]);
  const again = secondRun ? filesToRunAgain(first.report, (file) => relative(root, file)) : [];
  if (again.length === 0) return countsOf(first);
  console.log(`\n=== once more, alone: ${again.join(", ")}`);
  const second = await run([...args, "--no-file-parallelism", ...again]);
  if (second.code !== 0 || second.report.numFailedTests > 0) return countsOf(first);
  return afterSecondRun(first.report, second.report);
}

/** @param {{ code: number, report: Report }} run @returns {Counts} */
function countsOf({ code, report }) {
  const { numPassedTests: passed, numFailedTests: failed } = report;
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed, failures: failuresOf(report) };
}

/** @param {readonly string[]} args @returns {Promise<{ code: number, report: Report }>} */
async function run(args) {
  const folder = await mkdtemp(join(tmpdir(), "filemill-vitest-"));
  const report = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const code = await runTool(["vitest", "run", "--config", ".vitest.config.ts", ...reporters, ...args]);
    return { code, report: await readReport(report) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} file @returns {Promise<Report>} */
async function readReport(file) {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  }
}
