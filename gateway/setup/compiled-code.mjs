// Compiles the server's code before the start. Otherwise the TypeScript compiler would stay in the server's memory and take 20 MB.
// @ts-check
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { runCommand } from "./command.mjs";
import { compileCacheOf, findNode } from "./node.mjs";
import { openProgress } from "./progress.mjs";

const folders = ["gateway", "services", "gen"];

/**
 * Does nothing if the sources have not changed. Errors are left to the start, which reports them better.
 * @param {string} root
 */
export async function ensureCompiledCode(root) {
  const folder = compileCacheOf(root);
  const marker = join(folder, "filemill");
  const present = stateOf(root);
  if (read(marker) === present) return;
  const progress = openProgress("compiled code");
  const env = { ...process.env, NODE_COMPILE_CACHE: folder };
  const { code } = await runCommand([findNode(), join(root, "gateway/main.ts"), "--compile"], { env });
  progress.stop(code === 0 && write(folder, marker, present) ? "done" : "not cached; the start compiles it");
}

/**
 * Changes with every source file, the npm packages and Node, which is one of them.
 * @param {string} root
 */
function stateOf(root) {
  // As strings: Node 18.19, which Ubuntu 24.04 has, does not tell in which folder a directory entry is.
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(root, folder, name)),
  );
  const hash = createHash("sha256");
  for (const path of [join(root, "package-lock.json"), ...paths.sort()]) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * @param {string} folder
 * @param {string} file
 * @param {string} text
 */
function write(folder, file, text) {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text);
    return true;
  } catch {
    return false;
  }
}
