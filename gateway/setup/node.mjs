// Switches to the Node version that Filemill needs.
// @ts-check
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { say } from "./progress.mjs";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const neededMajor = 24;

/**
 * How serving processes are run. With the defaults, half of their idle memory would be reserve of the garbage collector (a young generation
 * of 48 MB) and the allocator (one arena per thread).
 */
export const servingArguments = ["--max-semi-space-size=4"];
export const servingEnvironment = {
  MALLOC_ARENA_MAX: "2",
  // Compiled code of the previous start. It saves a third of a short command's time, and in a server the memory of the TypeScript compiler.
  // Node works without it if it cannot be stored.
  NODE_COMPILE_CACHE: compileCacheOf(root),
};

/** @param {string} clone */
export function compileCacheOf(clone) {
  return join(clone, "node_modules/.cache/node");
}

/** The Node from the npm packages, otherwise the running one if it is new enough. Throws if there is none. */
export function findNode() {
  // Uses the package's own path, because npm 9 links neither of two packages for two architectures, or the wrong one.
  const own = join(root, `node_modules/node-linux-${process.arch}/bin/node`);
  if (existsSync(own) && majorOf(own) >= neededMajor) return own;
  if (Number.parseInt(process.versions.node, 10) >= neededMajor) return process.execPath;
  throw new Error(
    `Filemill needs Node.js ${neededMajor} or newer on this system; this is ${process.versions.node}. Install it from nodejs.org.`,
  );
}

/** @param {string} node */
function majorOf(node) {
  if (process.versions.node.startsWith(`${neededMajor}.`) && process.execPath.startsWith(join(root, "node_modules"))) return neededMajor;
  return Number.parseInt(spawnSync(node, ["--version"], { encoding: "utf8" }).stdout?.slice(1) ?? "", 10);
}

/**
 * Becomes `node <args>`: replaces this process if Node can do that, otherwise starts a child and exits with it.
 * @param {readonly string[]} args
 */
export function becomeNode(args) {
  become(findNode(), args);
}

/** The keeper restarts a serving process after a crash. */
const keeper = join(root, "gateway/setup/keep-running.sh");

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function become(command, args) {
  process.chdir(root);
  const env = { ...servingEnvironment, ...process.env };
  if ("execve" in process && process.platform === "linux") process.execve(command, [command, ...args], env);
  const child = spawn(command, args, { stdio: "inherit", env });
  /** @type {NodeJS.Signals[]} */
  const forwarded = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    say(`${command} could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (signal === null ? 1 : constants.signals[signal])));
}

/**
 * Runs the steps and then becomes Node. If a step throws, prints its message and exits.
 * @param {() => Promise<readonly string[]>} prepare resolves with Node's arguments
 */
export function setUpAndBecomeNode(prepare) {
  return setUpAnd(becomeNode, prepare);
}

/**
 * Like setUpAndBecomeNode, for a serving process, which is restarted after a crash.
 * @param {() => Promise<readonly string[]>} prepare resolves with Node's arguments
 */
export function setUpAndServe(prepare) {
  return setUpAnd((args) => become("/bin/sh", [keeper, findNode(), ...servingArguments, ...args]), prepare);
}

/**
 * @param {(args: readonly string[]) => void} go
 * @param {() => Promise<readonly string[]>} prepare
 */
async function setUpAnd(go, prepare) {
  try {
    go(await prepare());
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}
