// Is there a known vulnerability in an npm package that Filemill uses?
// @ts-check
import { execFile } from "node:child_process";
import { root } from "#gateway/setup/node.mjs";

const limitMs = 60_000;

/** Advisories that do not concern us, with the reason. @type {Readonly<Record<string, string>>} */
const accepted = {};

/** If the registry does not answer, the check says so and passes, because the tests must run without a network. */
export async function checkAdvisories() {
  const verdict = verdictOf(await auditReport(), accepted);
  for (const line of verdict.lines) console.log(line);
  return verdict.isGood;
}

/**
 * @param {string} report what `npm audit --json` printed
 * @param {Readonly<Record<string, string>>} excused reasons by the advisory's URL
 */
export function verdictOf(report, excused) {
  const { auditReportVersion, vulnerabilities = {}, metadata } = parse(report);
  if (auditReportVersion !== 2 || typeof metadata?.dependencies?.total !== "number") {
    return { isGood: true, lines: ["SKIPPED: the registry told no advisories, so nothing is known of new vulnerabilities."] };
  }
  const advisories = new Map();
  for (const { via = [] } of Object.values(vulnerabilities)) {
    for (const each of via) if (typeof each === "object") advisories.set(each.url, each);
  }
  const open = [...advisories.values()].filter(({ url }) => excused[url] === undefined);
  const lines = open.map(({ name, severity, title, url }) => `${severity}: ${name}: ${title} (${url})`);
  return { isGood: open.length === 0, lines: [...lines, `${metadata.dependencies.total} packages looked up, ${open.length} advisories.`] };
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** @returns {Promise<string>} */
function auditReport() {
  const options = { cwd: root, timeout: limitMs, maxBuffer: 64 * 2 ** 20 };
  return new Promise((resolve) => execFile("npm", ["audit", "--json", "--fetch-retries=0"], options, (_error, stdout) => resolve(stdout)));
}
