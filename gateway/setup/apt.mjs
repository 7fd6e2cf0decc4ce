// Installs Debian packages without prompts and with progress.
// @ts-check
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { runCommand } from "./command.mjs";
import { openProgress, say } from "./progress.mjs";

/** @typedef {import("./system-packages.mjs").SystemPackage} SystemPackage */

const attempts = 4;
const lockWaitSeconds = 300;
/** apt refuses an installation that would remove a package of the user's. */
const installOptions = ["-y", "--no-install-recommends", "--no-remove", "-q", "-o", "APT::Status-Fd=3", "-o", "Dpkg::Use-Pty=0"];
/**
 * Status lines go through a separate descriptor that is merged into the output. apt closes it for the packages' scripts, whose own output
 * must keep working.
 */
const withStatus = ["sh", "-c", 'exec "$0" "$@" 3>&1'];
const patientOptions = [
  "-o",
  `DPkg::Lock::Timeout=${lockWaitSeconds}`,
  "-o",
  "Acquire::Retries=3",
  "-o",
  "Dpkg::Options::=--force-confold",
];

/**
 * Installs the packages that are available. Prints the reason if one fails.
 * @param {readonly string[]} prefix sudo, or nothing
 * @param {readonly SystemPackage[]} packages
 */
export async function installWithApt(prefix, packages) {
  const quietly = [...prefix, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C"];
  const apt = [...quietly, ...withStatus, "apt-get", ...patientOptions];
  await runPatiently("package lists", [...apt, "-q", "update"]);
  const names = await namesToInstall(packages);
  if (names.length === 0) return;
  const done = await runPatiently("system packages", [...apt, "install", ...installOptions, ...names]);
  // One unavailable package must not prevent the others.
  if (!done && names.length > 1) {
    say("  Installing them one by one.");
    await runCommand([...quietly, "dpkg", "--configure", "-a"]);
    for (const name of names) await runPatiently(name, [...apt, "install", ...installOptions, name]);
  }
  if (names.includes("nats-server")) await stopDebiansBroker(prefix);
}

/**
 * The package names that are in this system's package lists.
 * @param {readonly SystemPackage[]} packages
 */
async function namesToInstall(packages) {
  const candidates = packages.flatMap(namesOf);
  const { output } = await runCommand(["env", "LC_ALL=C", "apt-cache", "policy", ...candidates]);
  const known = knownPackages(output);
  // LibreOffice's packages without a window system conflict with the desktop ones, so a desktop keeps what it has.
  const desktopOffice = existsSync("/var/lib/dpkg/info/libreoffice-core.list");
  const chosen = packages.map((row) => {
    const names = namesOf(row);
    return (desktopOffice && row.office !== undefined ? [...names].reverse() : names).find((name) => known.has(name));
  });
  return chosen.filter((name) => name !== undefined);
}

/** @param {SystemPackage} row */
const namesOf = (row) => [row.package, ...[row.or ?? []].flat()];

/**
 * The packages in the output of `apt-cache policy` that have an installable version.
 * @param {string} policy
 * @returns {Set<string>}
 */
export function knownPackages(policy) {
  const known = new Set();
  for (const [, name, candidate] of policy.matchAll(/^(\S+):\n(?: .*\n)*? {2}Candidate: (.*)$/gm)) {
    if (candidate !== "(none)") known.add(name);
  }
  return known;
}

/**
 * @param {string} title
 * @param {readonly string[]} command
 */
async function runPatiently(title, command) {
  const progress = openProgress(title);
  for (let attempt = 1; ; attempt++) {
    const { code, output } = await runCommand(command, { onLine: (line) => progress.set(statusOf(line)) });
    if (code === 0) {
      progress.stop("done");
      return true;
    }
    if (attempt === attempts || !isPassing(output)) {
      progress.stop("failed");
      say(reasonOf(output));
      return false;
    }
    progress.set(`attempt ${attempt} failed, retrying in ${attempt * 5} s`);
    await sleep(attempt * 5000);
  }
}

/**
 * What apt is doing, from a line of its status protocol (`dlstatus:3:41.5:Retrieving file 3 of 9`,
 * `pmstatus:pandoc:62.1:Unpacking pandoc`). Undefined for other lines.
 * @param {string} line
 */
export function statusOf(line) {
  const [kind = "", , percent = "", ...text] = line.split(":");
  if (kind !== "dlstatus" && kind !== "pmstatus") return undefined;
  return `${kind === "dlstatus" ? "download" : "install"} ${Number(percent).toFixed(0)} % ${text.join(":")}`;
}

/**
 * True for failures that are worth a retry: another apt process is running, or the network failed.
 * @param {string} output
 */
export function isPassing(output) {
  return /could not get lock|unable to (acquire|lock)|temporary failure|failed to fetch|unable to fetch|connection (failed|timed out|reset)|hash sum mismatch/i.test(
    output,
  );
}

/** @param {string} output */
function reasonOf(output) {
  const lines = output.split("\n").filter((line) => line.trim() !== "" && statusOf(line) === undefined);
  return lines
    .slice(-12)
    .map((line) => `    ${line}`)
    .join("\n");
}

/**
 * Debian's package starts its own broker, open to the network. Filemill runs its own one with a password.
 * @param {readonly string[]} prefix
 */
async function stopDebiansBroker(prefix) {
  if (existsSync("/run/systemd/system")) await runCommand([...prefix, "systemctl", "disable", "--now", "nats-server.service"]);
}
