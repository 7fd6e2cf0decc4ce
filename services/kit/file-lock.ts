/**
 * Locks that the kernel holds for a process. They end with the process, however it ends, and apply in every container that shares the disk.
 * Host names and process ids guarantee neither (decision 38).
 */
import { DatabaseSync } from "node:sqlite";
import { FilemillError } from "#contract/errors.ts";

const busy = 5;

/**
 * Locks the file and creates it if necessary. Undefined while another process, or another part of this one, holds the lock.
 *
 * @throws FilemillError UNAVAILABLE if the file cannot be created, or the file system has no locks.
 */
export function tryLock(path: string): Disposable | undefined {
  let database: DatabaseSync | undefined;
  try {
    // Node has no call for locks. SQLite locks its file while a transaction is open, and this transaction never writes anything.
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
