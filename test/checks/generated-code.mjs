// Is gen/ what `npm run gen` writes?
// @ts-check
import { statSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { root } from "#gateway/setup/node.mjs";
import { runTool } from "./tool.mjs";

/** @returns {Promise<boolean>} */
export async function checkGeneratedCode() {
  const folder = await mkdtemp(join(tmpdir(), "filemill-gen-"));
  try {
    if ((await runTool(["buf", "generate", "--output", folder])) !== 0) return false;
    const [fresh, committed] = await Promise.all([filesOf(join(folder, "gen")), filesOf(join(root, "gen"))]);
    if (fresh.size === 0) throw new Error("nothing was generated");
    const names = new Set([...fresh.keys(), ...committed.keys()]);
    const stale = [...names].filter((name) => fresh.get(name) !== committed.get(name));
    for (const name of stale) console.error(`gen/${name} is not what \`npm run gen\` writes`);
    return stale.length === 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Contents by path below the folder.
 * @param {string} folder
 */
async function filesOf(folder) {
  const paths = (await readdir(folder, { recursive: true })).map((name) => join(folder, name));
  const files = paths.filter((path) => statSync(path).isFile());
  return new Map(
    await Promise.all(files.map(async (file) => /** @type {const} */ ([relative(folder, file), await readFile(file, "utf8")]))),
  );
}
