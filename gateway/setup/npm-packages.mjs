// Makes node_modules be what package-lock.json says.
// @ts-check
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { runCommand } from "./command.mjs";
import { openProgress, say } from "./progress.mjs";

/** @typedef {{ version?: string, optional?: boolean, devOptional?: boolean }} Locked */

/**
 * Runs `npm ci` when node_modules is missing, half-installed or of another lock file. Throws when that fails.
 * @param {string} root
 */
export async function ensureNpmPackages(root) {
  if (npmPackagesAreCurrent(root)) return;
  const env = { ...process.env, PATH: systemPath(process.env.PATH ?? "") };
  for (let attempt = 1; ; attempt++) {
    const progress = openProgress("npm packages");
    const { code, output } = await runCommand(["npm", "ci", "--include=dev", "--include=optional", "--prefix", root], { env });
    progress.stop(code === 0 ? "done" : "failed");
    if (code === 0) return;
    say(output.trim().split("\n").slice(0, 40).join("\n"));
    if (attempt === 2) throw new Error("The npm packages could not be installed; the lines above say why.");
    say("  Trying once more.");
  }
}

/**
 * npm writes node_modules/.package-lock.json as the last step of an installation: what it lists is there.
 * @param {string} root
 */
export function npmPackagesAreCurrent(root) {
  const wanted = lockedPackages(join(root, "package-lock.json"));
  const installed = lockedPackages(join(root, "node_modules/.package-lock.json"));
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    const found = installed[path];
    // Packages for other systems are locked but not installed.
    return found === undefined ? entry.optional === true || entry.devOptional === true : found.version === entry.version;
  });
}

/**
 * @param {string} file
 * @returns {Record<string, Locked> | undefined}
 */
function lockedPackages(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}

/**
 * The search path without node_modules/.bin: `npm ci` removes that folder, and with it the Node it may hold.
 * @param {string} path
 */
export function systemPath(path) {
  return path
    .split(delimiter)
    .filter((folder) => !folder.endsWith(join("node_modules", ".bin")))
    .join(delimiter);
}
