// Proves conversions in the background of a running service, if engine versions on this machine differ from the proven ones.
// @ts-check
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { root } from "./node.mjs";

const prover = join(root, "test/prove/main.ts");

/**
 * Starts the prover at the lowest priority. It continues where an earlier run stopped, and ends with this process.
 * @param {(event: string, fields: Readonly<Record<string, unknown>>) => void} say
 */
export function proveBeside(say) {
  if (!existsSync(prover)) return;
  const args = ["-n", "19", process.execPath, prover, "--background", "--at-once", "1"];
  // The prover ends when its standard input closes, that is, when this process ends.
  const child = spawn("nice", args, { cwd: root, stdio: ["pipe", "pipe", "pipe"] });
  let last = "";
  const keepLast = (/** @type {Buffer} */ chunk) => {
    last = (last + chunk).slice(-500);
  };
  child.stdout.on("data", keepLast);
  child.stderr.on("data", keepLast);
  child.on("error", (error) => say("proving.not_started", { reason: error.message }));
  child.on("exit", (exitCode, signal) => say("proving.ended", { exitCode, signal, last: last.trim().split("\n").at(-1) }));
  for (const part of [child, child.stdin, child.stdout, child.stderr]) {
    if ("unref" in part && typeof part.unref === "function") part.unref();
  }
  child.stdin.on("error", () => undefined);
  say("proving.started", { pid: child.pid });
}
