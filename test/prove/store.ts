/** The proof file on disk. */
import { glob, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  emptyProofFile,
  enginesOfPath,
  familyOf,
  formatProofFile,
  type HopName,
  hopsOfPath,
  keyOf,
  type ProofFile,
  type ProofRow,
  parseProofFile,
} from "#services/catalogue/domain/proof.ts";

const catalogue = join(import.meta.dirname, "../../services/catalogue");

/** The proof shipped with Filemill, for the system that it is developed on. */
export const committedProof = join(catalogue, "proof.tsv");

/** From that file and those of other systems. */
export async function committedRowsThatHold(
  here: ReadonlyMap<string, string>,
  declared: (hop: HopName) => string,
): Promise<readonly ProofRow[]> {
  const others = glob("proofs/*.tsv", { cwd: catalogue });
  const paths = [committedProof, ...(await Array.fromAsync(others)).sort().map((name) => join(catalogue, name))];
  const files = await Promise.all(paths.map(readProof));
  return files.flatMap((file) => rowsThatHold(file, here, declared));
}

export async function readProof(path: string): Promise<ProofFile> {
  return readFile(path, "utf8").then(parseProofFile, (error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return emptyProofFile;
    throw error;
  });
}

export async function writeProof(path: string, file: ProofFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, formatProofFile(file));
  await rename(`${path}.new`, path);
}

/**
 * The rows that still hold: of engines in the currently installed version, and of
 * hops that they still declare. Rows of engines that are not installed are kept.
 */
export function rowsThatHold(file: ProofFile, here: ReadonlyMap<string, string>, declared: (hop: HopName) => string): readonly ProofRow[] {
  const isSame = (engine: string): boolean => {
    const [now, then] = [here.get(engine), file.engines.get(engine)];
    return now === undefined || (then !== undefined && familyOf(engine, now) === familyOf(engine, then));
  };
  const isDeclared = (hop: HopName): boolean => !here.has(hop.engine) || declared(hop) !== "";
  return file.rows.filter((row) => enginesOfPath(row.path).every(isSame) && hopsOfPath(row).every(isDeclared));
}

/** New rows replace old ones. */
export function merged(old: readonly ProofRow[], fresh: Iterable<ProofRow>): readonly ProofRow[] {
  return [...new Map([...old, ...fresh].map((row) => [keyOf(row), row])).values()];
}
