// Runs tests and counts them.
// @ts-check
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool } from "./tool.mjs";

/** @typedef {{ passed: number, failed: number }} Counts */

/**
 * A run that fails without a failed test (a file that does not load, an unhandled error) counts as one failure.
 * @param {readonly string[]} args
 * @returns {Promise<Counts>}
 */
export async function runVitest(args) {
  const folder = await mkdtemp(join(tmpdir(), "filemill-vitest-"));
  const report = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const code = await runTool(["vitest", "run", "--config", ".vitest.config.ts", ...reporters, ...args]);
    const { numPassedTests: passed, numFailedTests: failed } = await readReport(report);
    return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} file */
async function readReport(file) {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0 };
  }
}
