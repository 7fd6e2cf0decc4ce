// Handing over to the Node that Filemill is written for.
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
 * How a process that serves is run. Half of its memory at rest would be room that the collector and the allocator keep to
 * themselves: a young generation of 48 MB, and an arena for each thread.
 */
export const servingArguments = ["--max-semi-space-size=4"];
export const servingEnvironment = {
  MALLOC_ARENA_MAX: "2",
  // Compiled code of the start before, which is a third of what a short command costs and saves a server the memory of the compiler of
  // TypeScript; where it cannot be kept Node does without.
  NODE_COMPILE_CACHE: compileCacheOf(root),
};

/** @param {string} clone */
export function compileCacheOf(clone) {
  return join(clone, "node_modules/.cache/node");
}

/** The Node from the npm packages, else the running one when it is new enough. Throws when there is none. */
export function findNode() {
  // By the package's own path: of two packages for two processors, npm 9 links neither, or the wrong one.
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
 * Becomes `node <args>`: replaces this process where Node can do that, else starts a child and shares its fate.
 * @param {readonly string[]} args
 */
export function becomeNode(args) {
  become(findNode(), args);
}

/** The keeper starts what serves again when it has crashed. */
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
 * Runs the steps and then becomes Node; a step that throws ends everything with its message.
 * @param {() => Promise<readonly string[]>} prepare resolves with Node's arguments
 */
export function setUpAndBecomeNode(prepare) {
  return setUpAnd(becomeNode, prepare);
}

/**
 * The same for a process that serves, which is kept running.
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
