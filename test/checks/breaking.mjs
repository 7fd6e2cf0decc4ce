// Does proto/ break clients that were built against main?
// @ts-check
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "#gateway/setup/node.mjs";
import { runTool } from "./tool.mjs";

/** @returns {Promise<boolean>} */
export async function checkBreaking() {
  const base = await baseCommit();
  if (base === undefined) {
    console.log("No earlier proto/ in this clone's history: nothing to compare with.");
    return true;
  }
  const folder = await mkdtemp(join(tmpdir(), "filemill-proto-"));
  try {
    // An archive instead of buf's own git input, which cannot fetch from a shallow clone.
    const archive = join(folder, "base.tar");
    await git("archive", "--format=tar", `--output=${archive}`, base, "proto", "buf.yaml");
    console.log(`Comparing with ${base.slice(0, 12)}.`);
    return (await runTool(["buf", "breaking", "--against", archive])) === 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where this branch left main; on main itself, the previous commit. Undefined if that has no proto/ or a shallow clone lacks it. */
async function baseCommit() {
  const head = await git("rev-parse", "HEAD");
  for (const main of ["origin/main", "main"]) {
    const fork = await git("merge-base", "HEAD", main);
    const base = fork === undefined || fork !== head ? fork : await git("rev-parse", "--verify", "HEAD^");
    if (base !== undefined && (await git("cat-file", "-e", `${base}:proto`)) !== undefined) return base;
  }
  return undefined;
}

/**
 * What git prints, or undefined if it fails or is not installed.
 * @param {readonly string[]} args
 */
async function git(...args) {
  try {
    const { stdout } = await promisify(execFile)("git", [...args], { cwd: root });
    return stdout.trim();
  } catch {
    return undefined;
  }
}
