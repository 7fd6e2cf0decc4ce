// Runs a system command and returns its output.
// @ts-check
import { spawn } from "node:child_process";

/**
 * @param {readonly string[]} command
 * @param {{ env?: NodeJS.ProcessEnv, onLine?: (line: string) => void }} [options]
 * @returns {Promise<{ code: number, output: string }>} code 127: the command does not exist
 */
export function runCommand([file = "", ...args], { env = process.env, onLine } = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let rest = "";
    const take = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk).slice(-20_000);
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      if (onLine !== undefined) lines.forEach(onLine);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", (error) => resolve({ code: 127, output: error.message }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
