import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ProvingProgress } from "#kit/service.ts";
import type { CatalogueSettings } from "../config.ts";
import { emptyProofFile, type Proof, type ProofFile, parseProofFile, proofOf } from "../domain/proof.ts";

/** What was proven before this version of Filemill was published, on the system that it is developed on. */
const included = join(import.meta.dirname, "../proof.tsv");
/** The same on other systems, a file each. */
const includedOfOthers = join(import.meta.dirname, "../proofs");

/** What may be listed, and how far proving on this machine is. */
export type Proofs = {
  /**
   * Undefined: nothing was proven at all; whatever engines announce is listed.
   *
   * @param from - Whether what was proven on other systems is wanted as well: it is as long, and only versions of theirs need it.
   */
  read(from: { readonly otherSystems: boolean }): Promise<Proof | undefined>;
  /** `stamp` is another one when `read` may answer otherwise. */
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

/** Of these pairs, on whichever system they were proven. */
export function readProofOf(settings: CatalogueSettings, serves?: (from: string, to: string) => boolean): Promise<Proof | undefined> {
  return readProof(settings, true, serves);
}

/**
 * What came with Filemill, and over it what was proven on this machine. Undefined when nothing was proven at all, in a
 * checkout without the file. Rejects when a file is there but cannot be read.
 *
 * @param serves - Of which pairs proofs are wanted.
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
