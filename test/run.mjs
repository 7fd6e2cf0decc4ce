// npm test [-- --all]: installs what is missing, then runs every check and test. Works on any Node from 18 on, with nothing installed.
// @ts-check
import { root } from "#gateway/setup/node.mjs";
import { ensureNpmPackages } from "#gateway/setup/npm-packages.mjs";
import { allPackages, ensureSystemPackages, testPackages } from "#gateway/setup/system-packages.mjs";
import { checkAdvisories } from "./checks/audit.mjs";
import { checkBreaking } from "./checks/breaking.mjs";
import { todaysFiles } from "./checks/file-turns.mjs";
import { checkGeneratedCode } from "./checks/generated-code.mjs";
import { runTool } from "./checks/tool.mjs";
import { runVitest } from "./checks/vitest.mjs";

/** @typedef {import("./checks/vitest.mjs").Counts} Counts */

const takesAll = process.argv.includes("--all");

/** @type {(...command: string[]) => () => Promise<Counts>} */
const tool =
  (...command) =>
  async () =>
    countsOf((await runTool(command)) === 0);
/** For tools that kill and pause at random. @type {(...command: string[]) => () => Promise<Counts>} */
const toolWithSecondRun =
  (...command) =>
  async () => {
    if ((await runTool(command)) === 0) return countsOf(true);
    console.log("\nOnce more, with another seed:");
    const counts = countsOf((await runTool(command)) === 0);
    return counts.failed === 0 ? { ...counts, unsteady: [command.join(" ")] } : counts;
  };
/** @type {(check: () => Promise<boolean>) => () => Promise<Counts>} */
const check = (run) => async () => countsOf(await run());
/** @type {(...args: string[]) => () => Promise<Counts>} */
const vitest =
  (...args) =>
  () =>
    runVitest(args);
/** Today's files of a slow project, or all: see checks/file-turns.mjs. @type {(project: string, suffix: string) => () => Promise<Counts>} */
const vitestOfMany = (project, suffix) => async () =>
  runVitest(["--project", project], { files: takesAll ? [] : await todaysFiles(suffix), secondRun: true });

/** A check is not a test: only its failure is counted. @param {boolean} isGood */
function countsOf(isGood) {
  return { passed: 0, failed: isGood ? 0 : 1 };
}

/** @type {readonly (readonly [string, () => Promise<Counts>])[]} */
const steps = [
  ["types", tool("tsc", "-p", ".")],
  ["types: pages", tool("tsc", "-p", "gateway/web/client")],
  ["format and lint", tool("biome", "check", "--diagnostic-level=warn", "--error-on-warnings", ".")],
  ["proto: lint", tool("buf", "lint")],
  ["proto: format", tool("buf", "format", "--diff", "--exit-code")],
  ["proto: breaking changes", check(checkBreaking)],
  ["generated code", check(checkGeneratedCode)],
  ["known vulnerabilities", check(checkAdvisories)],
  ["dead code", tool("knip", "--no-progress")],
  ["architecture", vitest("--project", "unit", "test/architecture")],
  ["unit tests", vitest("--project", "unit", "--exclude", "test/architecture/**")],
  ["proof of a fresh sample", tool("node", "test/prove/main.ts", "--check", "--sample", "40", "--changed")],
  ["integration tests", vitestOfMany("integration", "int")],
  ["end-to-end tests", vitestOfMany("e2e", "e2e")],
  ["faults, in short", toolWithSecondRun("node", "test/faults/main.ts", "--short")],
];

// Otherwise slow files, and the rows of long test tables, take turns: see checks/file-turns.mjs and harness/turns.ts.
if (takesAll) process.env["TEST_ROWS"] = "all";

await Promise.all([ensureSystemPackages([...allPackages, ...testPackages]), ensureNpmPackages(root, { forTests: true })]);
const summary = [];
/** @type {string[]} */
const unsteady = [];
/** @type {string[]} */
const failures = [];
let passed = 0;
let failed = 0;
for (const [title, run] of steps) {
  console.log(`\n=== ${title}`);
  const startedMs = Date.now();
  const counts = await run();
  passed += counts.passed;
  failed += counts.failed;
  unsteady.push(...(counts.unsteady ?? []));
  failures.push(...(counts.failures ?? []));
  const tests = counts.passed + counts.failed > 0 ? `  ${counts.passed} passed, ${counts.failed} failed` : "";
  summary.push(
    `${counts.failed === 0 ? "ok    " : "FAILED"}  ${title.padEnd(24)} ${((Date.now() - startedMs) / 1000).toFixed(1).padStart(6)} s${tests}`,
  );
  console.log(summary.at(-1));
}
if (unsteady.length > 0) console.log(`\n=== UNSTEADY: failed at first, passed when run once more, alone\n${unsteady.join("\n")}`);
if (failures.length > 0) console.log(`\n=== FAILED\n${failures.join("\n")}`);
console.log(`\n=== summary\n${summary.join("\n")}\n\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
