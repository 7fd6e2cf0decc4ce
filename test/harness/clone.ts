import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";

const executableByOthers = 0o001;

/** Whether other users can reach the files of this clone; false inside a closed home folder. */
export const cloneIsOpen = isOpen(resolve("."));

function isOpen(folder: string): boolean {
  if ((statSync(folder).mode & executableByOthers) === 0) return false;
  return folder === dirname(folder) || isOpen(dirname(folder));
}
