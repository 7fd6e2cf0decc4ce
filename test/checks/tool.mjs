// Runs a tool and shows its output.
// @ts-check
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { findNode, root } from "#gateway/setup/node.mjs";

/**
 * Resolves with the exit code. Tools of the npm packages come first, and run on Filemill's Node.
 * @param {readonly string[]} command
 * @returns {Promise<number>}
 */
export function runTool([file = "", ...args]) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: root, env: toolEnvironment(), stdio: ["ignore", "inherit", "inherit"] });
    child.on("error", (error) => {
      console.error(error.message);
      resolve(127);
    });
    child.on("close", (code) => resolve(code ?? 1));
  });
}

export function toolEnvironment() {
  const path = [join(root, "node_modules/.bin"), join(findNode(), ".."), process.env.PATH ?? ""].join(delimiter);
  return { ...process.env, PATH: path };
}
