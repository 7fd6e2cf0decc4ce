/** A copy of the host's configuration that engines need: two mounts in each sandbox in the place of a dozen. */
import { access, chmod, constants, cp, lstat, mkdir, mkdtemp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FilemillError } from "#kit/errors.ts";

/** What engines cannot do without, and nothing that tells of this host. */
const sharedPaths = [
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

/**
 * Makes the copy under `scratchDir`, with which it goes. As it was when the service started, like the engines that it announced.
 *
 * @throws FilemillError UNAVAILABLE when it cannot be written.
 */
export async function copyHostFiles(scratchDir: string): Promise<string> {
  try {
    const folder = await mkdtemp(join(scratchDir, "host-"));
    for (const path of ["etc", "var"]) await makePassable(folder, join(folder, path));
    for (const path of sharedPaths) {
      const to = join(folder, path);
      if (!(await isReadable(path))) continue;
      await makePassable(folder, dirname(to));
      await cp(path, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, filter: isReadable });
    }
    return folder;
  } catch (cause) {
    throw new FilemillError("UNAVAILABLE", "The configuration that engines need could not be copied.", { cause });
  }
}

/** By every user's engines, whatever our umask is. */
async function makePassable(top: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let each = folder; each !== top; each = dirname(each)) await chmod(each, 0o755);
}

/** A file that only root may read is none that engines need. */
async function isReadable(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return false;
  if (found.isSymbolicLink()) return true;
  const isKnownKind = found.isFile() || found.isDirectory();
  return (
    isKnownKind &&
    (await access(path, constants.R_OK).then(
      () => true,
      () => false,
    ))
  );
}
