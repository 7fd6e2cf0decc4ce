/** Remembers which engines worked at the last start, so that the next start need not run every tool before it serves (decision 32). */
import { createHash } from "node:crypto";
import { readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Log } from "#kit/log.ts";

export type KnownEngines = {
  /** Undefined: the engine was absent, or something has changed since. */
  versionOf(engineId: string): string | undefined;
  /**
   * If this cannot be written, the next start probes again.
   *
   * @param inPart - Only some engines were probed, so what is known of the others stays.
   */
  remember(versions: ReadonlyMap<string, string>, inPart?: boolean): Promise<void>;
};

const engineFolder = fileURLToPath(new URL("../engines", import.meta.url));
/** Changes whenever a package is installed, updated or removed. */
const systemPackages = "/var/lib/dpkg/status";
const npmPackages = fileURLToPath(new URL("../../../node_modules/.package-lock.json", import.meta.url));

/**
 * @param file - Where this is stored.
 * @param sandboxMode - A tool that works in one sandbox need not work in the other.
 */
export async function openKnownEngines(file: string, sandboxMode: string, log: Log, packages = systemPackages): Promise<KnownEngines> {
  const state = await stateOf(sandboxMode, packages);
  const versions = state === undefined ? new Map<string, string>() : await read(file, state);
  return {
    versionOf: (engineId) => versions.get(engineId),
    async remember(looked, inPart = false) {
      const found = inPart ? new Map([...versions, ...looked]) : looked;
      if (state === undefined || (found.size === versions.size && [...found].every(([id, version]) => versions.get(id) === version)))
        return;
      try {
        await writeFile(`${file}.new`, JSON.stringify({ state, versions: Object.fromEntries(found) }), { mode: 0o600 });
        await rename(`${file}.new`, file);
      } catch (error) {
        log.warn("engines.not_remembered", { err: error });
      }
    },
  };
}

/** Undefined if it cannot be known whether a tool has changed: on systems with another package manager. */
async function stateOf(sandboxMode: string, packages: string): Promise<string | undefined> {
  const sources = (await readdir(engineFolder, { recursive: true })).sort().map((name) => join(engineFolder, name));
  const hash = createHash("sha256").update(`${process.version} ${sandboxMode}\n`);
  try {
    const all = [packages, npmPackages, ...sources];
    const facts = await Promise.all(all.map((path) => stat(path)));
    for (const [at, { size, mtimeMs }] of facts.entries()) hash.update(`${all[at]} ${size} ${mtimeMs}\n`);
  } catch {
    return undefined;
  }
  return hash.digest("hex");
}

async function read(file: string, state: string): Promise<ReadonlyMap<string, string>> {
  try {
    const kept: unknown = JSON.parse(await readFile(file, "utf8"));
    if (typeof kept !== "object" || kept === null || !("state" in kept) || kept.state !== state || !("versions" in kept)) return new Map();
    return new Map(Object.entries(kept.versions ?? {}).map(([id, version]) => [id, String(version)]));
  } catch {
    return new Map();
  }
}
