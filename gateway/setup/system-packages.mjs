// Finds and installs missing system programs and fonts.
// @ts-check
import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installWithApt } from "./apt.mjs";
import { runCommand } from "./command.mjs";
import { say } from "./progress.mjs";

/**
 * One Debian package, its names in other releases or Ubuntu, and how to detect that its content is installed: a command, files (* is
 * allowed in names), or a file of LibreOffice.
 * @typedef {{ package: string, or?: string | readonly string[], for: string, command?: string, files?: string[], office?: string, tests?: boolean, judges?: boolean, set?: "all" }} SystemPackage
 */

const officeFolders = ["/usr/lib/libreoffice", "/usr/lib64/libreoffice", "/opt/libreoffice*", "/snap/libreoffice/current/lib/libreoffice"];

/** @type {readonly SystemPackage[]} */
const table = JSON.parse(readFileSync(new URL("./system-packages.json", import.meta.url), "utf8"));

/** Packages for all engines. */
export const allPackages = table.filter((row) => row.tests !== true && row.judges !== true);
/** Packages for running Filemill and for everyday conversions. */
export const systemPackages = allPackages.filter((row) => row.set !== "all");
/** Additional packages for the tests. */
export const testPackages = table.filter((row) => row.tests === true);
/** Additional packages for `npm run prove -- --judge`, which judge results. */
export const judgePackages = table.filter((row) => row.judges === true);

/**
 * The everyday packages, or all of them with `--all-engines` or ALL_ENGINES=true; and the arguments without that flag.
 * @param {readonly string[]} args
 */
export function wantedPackages(args) {
  const isAll = args.includes("--all-engines") || process.env.ALL_ENGINES === "true";
  return { packages: isAll ? allPackages : systemPackages, rest: args.filter((arg) => arg !== "--all-engines") };
}

/**
 * The packages that are not installed, in the table's order.
 * @param {readonly SystemPackage[]} packages
 * @returns {readonly SystemPackage[]}
 */
export function missingPackages(packages = systemPackages) {
  return packages.filter((row) => !isThere(row));
}

/**
 * Installs missing packages if that is possible without a password prompt, otherwise prints what to do. Returns the packages that are still
 * missing.
 * @param {readonly SystemPackage[]} packages
 */
export async function ensureSystemPackages(packages = systemPackages) {
  const missing = missingPackages(packages);
  if (missing.length === 0) return missing;
  const debian = existsSync("/etc/debian_version") && findCommand("apt-get") !== undefined;
  const prefix = debian ? await rootPrefix() : undefined;
  if (prefix === undefined) {
    sayWhatIsMissing(missing, debian);
    return missing;
  }
  say(`Installing ${missing.length} system packages: ${missing.map((row) => row.package).join(" ")}`);
  await installWithApt(prefix, missing);
  const rest = missingPackages(missing);
  if (rest.length > 0) sayWhatIsMissing(rest, debian);
  return rest;
}

/**
 * @param {readonly SystemPackage[]} missing
 * @param {boolean} debian
 */
function sayWhatIsMissing(missing, debian) {
  say("These packages are missing; Filemill works with what is installed:");
  for (const row of missing) say(`  ${row.package.padEnd(28)} ${row.for}`);
  const names = missing.map((row) => row.package).join(" ");
  if (debian) say(`To install them:\n  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names}`);
  else say("These are Debian's package names; install the equivalents on your system.");
  for (const row of missing) {
    if (row.command === "nats-server") say("Without nats-server, Filemill does not start, unless NATS_URL names a server.");
    if (row.command === "bwrap") say("Without bubblewrap, no engine starts, unless SANDBOX=degraded.");
  }
}

/** Command prefix for running as root. Undefined if that needs a password or is not possible. */
async function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  const { code } = await runCommand(["sudo", "-n", "true"]);
  return code === 0 ? ["sudo", "-n"] : undefined;
}

/** @param {SystemPackage} row */
function isThere(row) {
  if (row.command !== undefined) return findCommand(row.command) !== undefined;
  if (row.office !== undefined) return officeFolders.some((folder) => matchesFile(join(folder, row.office ?? "")));
  return (row.files ?? []).some(matchesFile);
}

/**
 * The full path of a command. Also searches /usr/sbin, where Debian puts nats-server and which is not in an ordinary user's search path.
 * @param {string} name
 * @param {string} [path] the search path
 */
export function findCommand(name, path = process.env.PATH ?? "") {
  const folders = [...path.split(delimiter), "/usr/local/sbin", "/usr/sbin", "/sbin"];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * True if a file matches the path. A * matches any part of one name.
 * @param {string} pattern
 */
function matchesFile(pattern) {
  let found = ["/"];
  for (const part of pattern.split("/").filter((name) => name !== "")) {
    if (!part.includes("*")) {
      found = found.map((folder) => join(folder, part)).filter((path) => existsSync(path));
      continue;
    }
    const name = new RegExp(
      `^${part
        .split("*")
        .map((text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
        .join(".*")}$`,
    );
    found = found.flatMap((folder) =>
      namesIn(folder)
        .filter((entry) => name.test(entry))
        .map((entry) => join(folder, entry)),
    );
  }
  return found.length > 0;
}

/** @param {string} folder */
function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
