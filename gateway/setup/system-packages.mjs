// Which programs and fonts of the system are there, and installing those that are not.
// @ts-check
import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installWithApt } from "./apt.mjs";
import { runCommand } from "./command.mjs";
import { say } from "./progress.mjs";

/**
 * One Debian package, what other releases or Ubuntu call it, and how to tell that what it brings is there: a command, files (with * in
 * names), or a file of LibreOffice.
 * @typedef {{ package: string, or?: string | readonly string[], for: string, command?: string, files?: string[], office?: string, tests?: boolean, judges?: boolean, set?: "all" }} SystemPackage
 */

const officeFolders = ["/usr/lib/libreoffice", "/usr/lib64/libreoffice", "/opt/libreoffice*", "/snap/libreoffice/current/lib/libreoffice"];

/** @type {readonly SystemPackage[]} */
const table = JSON.parse(readFileSync(new URL("./system-packages.json", import.meta.url), "utf8"));

/** What every engine of this build needs. */
export const allPackages = table.filter((row) => row.tests !== true && row.judges !== true);
/** What running Filemill needs, and what everyday conversions do. */
export const systemPackages = allPackages.filter((row) => row.set !== "all");
/** What its tests need besides. */
export const testPackages = table.filter((row) => row.tests === true);
/** What judges results: for `npm run prove -- --judge`. */
export const judgePackages = table.filter((row) => row.judges === true);

/**
 * The everyday set, or with `--all-engines` or ALL_ENGINES=true the whole; and the arguments without that flag.
 * @param {readonly string[]} args
 */
export function wantedPackages(args) {
  const isAll = args.includes("--all-engines") || process.env.ALL_ENGINES === "true";
  return { packages: isAll ? allPackages : systemPackages, rest: args.filter((arg) => arg !== "--all-engines") };
}

/**
 * What is not there, in the table's order.
 * @param {readonly SystemPackage[]} packages
 * @returns {readonly SystemPackage[]}
 */
export function missingPackages(packages = systemPackages) {
  return packages.filter((row) => !isThere(row));
}

/**
 * Installs what is missing where that can be done without asking, else says what to do. Returns what is missing afterwards.
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
  say(`Installing ${missing.length} packages of the system: ${missing.map((row) => row.package).join(" ")}`);
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
  say("These are missing; Filemill runs with what is there:");
  for (const row of missing) say(`  ${row.package.padEnd(28)} ${row.for}`);
  const names = missing.map((row) => row.package).join(" ");
  if (debian) say(`To install them:\n  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names}`);
  else say("The names are Debian's; install what your system calls them.");
  for (const row of missing) {
    if (row.command === "nats-server") say("Without nats-server nothing starts, unless NATS_URL names a server elsewhere.");
    if (row.command === "bwrap") say("Without bubblewrap no engine is started, unless SANDBOX=degraded.");
  }
}

/** What to put before a command so that it runs as root; undefined when that needs a password or cannot be had. */
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
 * The command's full path. Debian keeps nats-server in /usr/sbin, which an ordinary user's search path leaves out.
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
 * Is there a file of this path? A * stands for any part of one name.
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
