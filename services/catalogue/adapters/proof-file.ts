import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CatalogueSettings } from "../config.ts";
import { emptyProofFile, type Proof, type ProofFile, parseProofFile, proofOf } from "../domain/proof.ts";

/** What was proven before this version of Filemill was published. */
const included = join(import.meta.dirname, "../proof.tsv");

/**
 * What came with Filemill, and over it what was proven on this machine. Undefined when nothing was proven at all, in a
 * checkout without the file. Rejects when a file is there but cannot be read.
 */
export async function readProof({ DATA_DIR, PROOF_FILE }: CatalogueSettings): Promise<Proof | undefined> {
  const files = await Promise.all([included, PROOF_FILE ?? join(resolve(DATA_DIR), "proof.tsv")].map(read));
  return files.every(({ rows }) => rows.length === 0) ? undefined : proofOf(files);
}

async function read(path: string): Promise<ProofFile> {
  try {
    return parseProofFile(await readFile(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return emptyProofFile;
    throw error;
  }
}
