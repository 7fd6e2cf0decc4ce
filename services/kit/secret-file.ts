/** Secrets that an installation creates for itself, each in a file under DATA_DIR that only its owner can read. */
import { randomBytes, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, open, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { SettingError } from "./config.ts";

const secretBytes = 32;
const accessOfOthers = 0o077;

/**
 * The secret in the file, or a new one of 256 bits if there is none yet. If several processes create it at once, all get the same one.
 * Rejects with a SettingError if others could have read it, or if the file contains no secret.
 */
export async function ensureSecret(path: string): Promise<string> {
  return (await readSecret(path)) ?? (await makeSecret(path));
}

/** Undefined if there is no such file. Rejects like `ensureSecret`, and with the system's error if it may not be read. */
export async function readSecret(path: string): Promise<string | undefined> {
  // Following a link would mean trusting a file that somebody else controls.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const status = await file.stat();
    if (!status.isFile() || (status.mode & accessOfOthers) !== 0) {
      throw new SettingError(
        `${basename(path)} under DATA_DIR can be read by other users: delete it, and the next start creates a new one.`,
      );
    }
    const secret = (await file.readFile("utf8")).trim();
    if (/^\S{16,}$/.test(secret)) return secret;
    throw new SettingError(`${basename(path)} under DATA_DIR holds no secret: delete it, and the next start creates a new one.`);
  } finally {
    await file.close();
  }
}

/** Written completely under another name first, so that nobody reads half of it or finds it with other permissions. */
async function makeSecret(path: string): Promise<string> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${randomBytes(secretBytes).toString("base64url")}\n`, { mode: 0o600, flag: "wx", flush: true });
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  const secret = await readSecret(path);
  if (secret === undefined) throw new SettingError(`${basename(path)} under DATA_DIR disappeared while it was being created; start again.`);
  return secret;
}
