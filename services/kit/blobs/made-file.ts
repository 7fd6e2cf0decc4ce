/** Takes over files that an engine left, which can be anything. */
import { hash as hashOf } from "node:crypto";
import { closeSync, constants, fchmodSync, fchownSync, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { FilemillError } from "#contract/errors.ts";
import { smallBytes } from "./body.ts";
import { recallFile } from "./fresh-files.ts";
import { digestOf, type Received } from "./large-file.ts";

/** Nobody writes to a blob, not even its owner. */
export const blobMode = 0o444;

export type MadeFile = Received & { /** The whole content if it is small. */ readonly bytes?: Buffer };

/** Accepts only a regular file with a single name. It belongs to this process from then on. */
export async function takeOver(path: string): Promise<MadeFile> {
  const known = recallFile(path);
  if (known !== undefined) return { digest: hashOf("sha256", known), sizeBytes: known.length, bytes: known };
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile() || found.nlink !== 1) throw new FilemillError("CONVERSION_FAILED", "The engine did not make a plain file.");
    own(descriptor, found);
    if (found.size <= smallBytes) {
      const bytes = readFileSync(descriptor);
      return { digest: hashOf("sha256", bytes), sizeBytes: bytes.length, bytes };
    }
  } finally {
    closeSync(descriptor);
  }
  return digestOf(path);
}

function own(descriptor: number, found: Stats): void {
  const uid = process.getuid?.() ?? found.uid;
  if (found.uid !== uid) fchownSync(descriptor, uid, process.getgid?.() ?? found.gid);
  fchmodSync(descriptor, blobMode);
}
