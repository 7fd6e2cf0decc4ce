/** A copy of the host's configuration that engines need. It takes two mounts in each sandbox instead of a dozen. */
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  type Stats,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { FilemillError } from "#contract/errors.ts";

/** What engines cannot do without, and nothing that reveals anything about this host. */
export const sharedPaths: readonly string[] = [
  "/etc/alternatives",
  "/etc/fonts",
  "/etc/ld.so.cache",
  "/etc/ImageMagick-6",
  "/etc/ImageMagick-7",
  "/etc/libreoffice",
  "/etc/papersize",
  "/etc/mime.types",
  "/var/lib/ghostscript",
  "/var/cache/fontconfig",
];

/** Most of the alternatives are manual pages, which no engine reads. */
const manualPage = ".gz";

/**
 * Makes the copy under `scratchDir` and is removed with it. It shows the state at the start of the service, like the announced engines.
 *
 * @throws FilemillError UNAVAILABLE if it cannot be written.
 */
export function copyHostFiles(scratchDir: string): string {
  try {
    const folder = mkdtempSync(join(scratchDir, "host-"));
    for (const path of ["etc", "var"]) makePassable(folder, join(folder, path));
    for (const path of sharedPaths) {
      const to = join(folder, path);
      makePassable(folder, dirname(to));
      copy(path, to);
    }
    return folder;
  } catch (cause) {
    throw new FilemillError("UNAVAILABLE", "The configuration that engines need could not be copied.", { cause });
  }
}

/** Makes the folder accessible to every user's engines, whatever this process's umask is. */
function makePassable(top: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (let each = folder; each !== top; each = dirname(each)) chmodSync(each, 0o755);
}

/** Synchronous, because it copies hundreds of small files before anyone can be served. One promise per file takes several times as long. */
function copy(from: string, to: string): void {
  const found = lstatSync(from, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  if (!isReadable(from, found)) return;
  if (found.isFile()) copyFileSync(from, to);
  else {
    mkdirSync(to);
    for (const name of readdirSync(from)) if (!name.endsWith(manualPage)) copy(join(from, name), join(to, name));
  }
  chmodSync(to, found.mode & 0o777);
  // fontconfig uses these times to check whether its caches are current.
  utimesSync(to, found.atime, found.mtime);
}

/** Engines need no file that only root may read. */
function isReadable(path: string, found: Stats): boolean {
  if (!(found.isFile() || found.isDirectory())) return false;
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
