// Makes node_modules match package-lock.json.
// @ts-check
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { runCommand } from "./command.mjs";
import { openProgress, say } from "./progress.mjs";
import { findCommand } from "./system-packages.mjs";

/** @typedef {{ version?: string, optional?: boolean, dev?: boolean, devOptional?: boolean }} Locked */

/**
 * Runs `npm ci` if node_modules is missing, incomplete or from another lock file. Throws if that fails.
 * @param {string} root
 * @param {{ forTests?: boolean, production?: boolean }} [options] forTests: an installation without development packages is not enough;
 * production: leave out development packages
 */
export async function ensureNpmPackages(root, { forTests = false, production = false } = {}) {
  if (npmPackagesAreCurrent(root, forTests)) return;
  const env = { ...process.env, PATH: systemPath(process.env.PATH ?? "") };
  for (let attempt = 1; ; attempt++) {
    const progress = openProgress("npm packages");
    const args = ["ci", production ? "--omit=dev" : "--include=dev", "--include=optional", "--prefix", root];
    const { code, output } = await runNpm(root, args, env);
    progress.stop(code === 0 ? "done" : "failed");
    if (code === 0) return;
    say(output.trim().split("\n").slice(0, 40).join("\n"));
    if (attempt === 2) throw new Error("The npm packages could not be installed; the lines above say why.");
    say("  Retrying.");
  }
}

/**
 * npm leaves out optional packages that need a newer Node than its own, such as sharp's binaries under Node 18. In that case, npm is run
 * with the Node that Filemill itself uses.
 * @param {string} root
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
async function runNpm(root, args, env) {
  const npm = findCommand("npm", env.PATH);
  const name = `node-linux-${process.arch}`;
  const version = lockedPackages(join(root, "package-lock.json"))?.[`node_modules/${name}`]?.version;
  if (npm === undefined || version === undefined || Number.parseInt(process.versions.node, 10) >= oldestMajorForPackages) {
    return await runCommand(["npm", ...args], { env });
  }
  // Outside node_modules, because npm deletes that folder first.
  const folder = mkdtempSync(join(tmpdir(), "filemill-node-"));
  try {
    const first = await runCommand(["npm", "install", "--no-save", "--no-package-lock", "--prefix", folder, `${name}@${version}`], { env });
    if (first.code !== 0) return first;
    const node = join(folder, "node_modules", name, "bin/node");
    // Where Debian keeps npm's own packages. Only Debian's Node finds them by default.
    const debians = { ...env, NODE_PATH: "/usr/share/nodejs" };
    return await runCommand([node, "--no-deprecation", realpathSync(npm), ...args], { env: debians });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** sharp needs 20.9. */
const oldestMajorForPackages = 20;

/**
 * npm writes node_modules/.package-lock.json as the last step of an installation, so everything listed there is installed.
 * @param {string} root
 * @param {boolean} [forTests] whether development packages are required
 */
export function npmPackagesAreCurrent(root, forTests = true) {
  const wanted = lockedPackages(join(root, "package-lock.json"));
  const installed = lockedPackages(join(root, "node_modules/.package-lock.json"));
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    const found = installed[path];
    // Packages for other systems are locked but not installed.
    if (found === undefined) return entry.optional === true || entry.devOptional === true || (entry.dev === true && !forTests);
    return found.version === entry.version;
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
 * The search path without node_modules/.bin, because `npm ci` deletes that folder and any Node in it.
 * @param {string} path
 */
export function systemPath(path) {
  return path
    .split(delimiter)
    .filter((folder) => !folder.endsWith(join("node_modules", ".bin")))
    .join(delimiter);
}
