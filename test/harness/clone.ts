import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";

const executableByOthers = 0o001;

/** Whether another user can reach the files of this clone: not where it lies in a home folder that is closed to others. */
export const cloneIsOpen = isOpen(resolve("."));

function isOpen(folder: string): boolean {
  if ((statSync(folder).mode & executableByOthers) === 0) return false;
  return folder === dirname(folder) || isOpen(dirname(folder));
}
