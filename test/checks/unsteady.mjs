// What it means when a test fails in a whole run and passes alone: services/decisions/0033-failed-test-files-run-once-more.md
// @ts-check

/** @typedef {{ status: string, fullName: string, failureMessages: readonly string[] }} Assertion */
/** @typedef {{ name: string, status: string, assertionResults: readonly Assertion[] }} FileReport */
/** @typedef {{ numPassedTests: number, numFailedTests: number, testResults: readonly FileReport[] }} Report Vitest's report as JSON. */

/** If more files fail, it is not by chance. */
const maxFiles = 3;

/** An attack that succeeds half of the time has succeeded. */
const neverAgain = /^test\/(attacks|fuzz|services\/conversion\/sandbox)\//;

/**
 * The failed files that may be run once more: none if one of them may not, or if too many failed.
 * @param {Report} report
 * @param {(path: string) => string} fromRoot
 */
export function filesToRunAgain(report, fromRoot) {
  const failed = report.testResults.filter((file) => file.status === "failed").map((file) => fromRoot(file.name));
  return failed.length > maxFiles || failed.some((file) => neverAgain.test(file)) ? [] : failed;
}

/**
 * The counts of a run whose failed files all passed in a second run, with a line for each test that had failed.
 * @param {Report} first
 * @param {Report} second
 */
export function afterSecondRun(first, second) {
  const again = new Set(second.testResults.map((file) => file.name));
  const kept = first.testResults.filter((file) => !again.has(file.name)).flatMap((file) => file.assertionResults);
  const unsteady = failuresOf(first);
  return {
    passed: kept.filter(({ status }) => status === "passed").length + second.numPassedTests,
    failed: 0,
    unsteady: unsteady.length > 0 ? unsteady : ["a file that did not load"],
  };
}

/**
 * A line for each failed test: its name and the first line of the reason.
 * @param {Report} report
 */
export function failuresOf({ testResults }) {
  return testResults.flatMap((file) =>
    file.assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages }) => `${fullName.trim()}: ${(failureMessages[0] ?? "no reason given").split("\n")[0]}`),
  );
}
