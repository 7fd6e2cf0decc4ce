import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ProvingProgress } from "#kit/service.ts";
import type { CatalogueSettings } from "../config.ts";
import { emptyProofFile, type Proof, type ProofFile, parseProofFile, proofOf } from "../domain/proof.ts";

/** What was proven before this version was published, on the system that Filemill is developed on. */
const included = join(import.meta.dirname, "../proof.tsv");
/** The same for other systems, one file each. */
const includedOfOthers = join(import.meta.dirname, "../proofs");

/** What may be listed, and the progress of proving on this machine. */
export type Proofs = {
  /**
   * Undefined: nothing was proven at all, so everything that engines announce is listed.
   *
   * @param from - Whether to include what was proven on other systems. It is as long again, and only needed for those systems' versions.
   */
  read(from: { readonly otherSystems: boolean }): Promise<Proof | undefined>;
  /** `stamp` changes whenever `read` may return something else. */
  state(): Promise<{ readonly stamp: string; readonly proving: ProvingProgress | undefined }>;
};

export function openProofs(settings: CatalogueSettings): Proofs {
  return {
    read: ({ otherSystems }) => readProof(settings, otherSystems),
    async state() {
      const [found, text] = await Promise.all([
        stat(localOf(settings)).catch(() => undefined),
        readFile(join(resolve(settings.DATA_DIR), "proving.json"), "utf8").catch(() => undefined),
      ]);
      return { stamp: found === undefined ? "" : `${found.mtimeMs} ${found.size}`, proving: progressOf(text) };
    },
  };
}

function progressOf(text = ""): ProvingProgress | undefined {
  const [, done, of] = /^\{"done":(\d{1,9}),"of":(\d{1,9})\}$/.exec(text.trim()) ?? [];
  return done === undefined ? undefined : { done: Number(done), of: Number(of) };
}

function localOf({ DATA_DIR, PROOF_FILE }: CatalogueSettings): string {
  return PROOF_FILE ?? join(resolve(DATA_DIR), "proof.tsv");
}

/** The proofs of these pairs, from every system. */
export function readProofOf(settings: CatalogueSettings, serves?: (from: string, to: string) => boolean): Promise<Proof | undefined> {
  return readProof(settings, true, serves);
}

/**
 * The proofs included with Filemill, overridden by those from this machine. Undefined if nothing was proven at all, as in a checkout
 * without the file. Rejects if a file exists but cannot be read.
 *
 * @param serves - Which pairs to read proofs for.
 */
async function readProof(
  settings: CatalogueSettings,
  otherSystems: boolean,
  serves?: (from: string, to: string) => boolean,
): Promise<Proof | undefined> {
  const names = otherSystems ? await readdir(includedOfOthers).catch(() => []) : [];
  const paths = [...names.sort().map((name) => join(includedOfOthers, name)), included, localOf(settings)];
  const files = await Promise.all(paths.map((path) => read(path, serves)));
  return files.every(({ rows, engines }) => rows.length === 0 && engines.size === 0) ? undefined : proofOf(files);
}

async function read(path: string, serves: ((from: string, to: string) => boolean) | undefined): Promise<ProofFile> {
  try {
    return parseProofFile(await readFile(path, "utf8"), serves);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return emptyProofFile;
    throw error;
  }
}
