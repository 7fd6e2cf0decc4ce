/** Progress of a full run, so that one that ended early can be resumed. */
import { createHash } from "node:crypto";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseSettings } from "#kit/config.ts";
import { settingTable } from "#kit/settings.ts";
import type { ProofFile, ProofRow } from "#services/catalogue/domain/proof.ts";
import { readProof, writeProof } from "./store.ts";

export type Progress = {
  readonly path: string;
  /** Of everything that a proof depends on. */
  readonly fingerprint: string;
};

const root = join(import.meta.dirname, "../..");
const sources = ["services/conversion", "services/formats", "services/catalogue/domain", "test/prove", "test/contract", "test/corpus"];
const key = "fingerprint";

/** Covers the sources of engines, checks and samples, and the installed programs. */
export async function fingerprintOf(engines: ReadonlyMap<string, string>): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([...engines].sort()));
  for (const folder of sources) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    for (const path of files.sort()) hash.update(path).update(await readFile(path));
  }
  return hash.digest("base64url").slice(0, 16);
}

/** Empty if no run ended early, or if its sources or programs were different. */
export async function readProgress({ path, fingerprint }: Progress): Promise<readonly ProofRow[]> {
  const file = await readProof(path);
  return file.engines.get(key) === fingerprint ? file.rows : [];
}

/** Marked with the fingerprint, in a line like that of an engine. */
export async function writeProgress({ path, fingerprint }: Progress, file: ProofFile): Promise<void> {
  await writeProof(path, { ...file, engines: new Map([...file.engines, [key, fingerprint]]) });
}

export async function forgetProgress({ path }: Progress): Promise<void> {
  await rm(path, { force: true });
}

type Environment = Parameters<typeof parseSettings>[1];

/** Reports progress to the running service; undefined at the end. */
export async function tellService(env: Environment, progress: { readonly done: number; readonly of: number } | undefined): Promise<void> {
  const path = join(resolve(parseSettings(settingTable, env).DATA_DIR), "proving.json");
  if (progress === undefined) return rm(path, { force: true });
  await writeFile(`${path}.new`, JSON.stringify(progress));
  await rename(`${path}.new`, path);
}
