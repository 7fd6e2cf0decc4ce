/**
 * Locks that the kernel holds for a process: they go with it, however it ends, and count in every container that shares the disk. Names of
 * hosts and numbers of processes do neither (decision 38).
 */
import { DatabaseSync } from "node:sqlite";
import { FilemillError } from "#contract/errors.ts";

const busy = 5;

/**
 * Locks the file, which is made if it is not there. Undefined while another process, or another part of this one, has it.
 *
 * @throws FilemillError UNAVAILABLE when it cannot be made, or the file system has no locks.
 */
export function tryLock(path: string): Disposable | undefined {
  let database: DatabaseSync | undefined;
  try {
    // Node has no call for it. SQLite locks its file as long as a transaction is open, and of this one nothing is ever written.
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    const held = database;
    return { [Symbol.dispose]: () => held.close() };
  } catch (cause) {
    if (database?.isOpen === true) database.close();
    if (cause instanceof Error && "errcode" in cause && cause.errcode === busy) return undefined;
    throw new FilemillError("UNAVAILABLE", "A file under DATA_DIR cannot be locked. Is the folder writable, on a file system with locks?", {
      cause,
    });
  }
}
