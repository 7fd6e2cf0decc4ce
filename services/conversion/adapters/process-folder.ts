/** One folder under DATA_DIR/scratch for each living process; those of dead ones are removed by the next start. */
import { mkdir, readdir, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isAlive, startOf } from "#kit/process-identity.ts";

export type ProcessFolder = AsyncDisposable & { readonly path: string };

const hourMs = 3_600_000;
/** A folder of another host on a shared disk that nobody has touched for so long has no owner any more. */
const foreignAgeMs = 24 * hourMs;
let opened = 0;

/** Removes what dead processes left under `root` by `removeFolder`, and makes a folder there that this process owns until it is disposed. */
export async function openProcessFolder(root: string, removeFolder: (path: string) => Promise<void>): Promise<ProcessFolder> {
  await mkdir(root, { recursive: true, mode: 0o711 });
  for (const name of await readdir(root)) {
    if (await isAbandoned(root, name)) await removeFolder(join(root, name));
  }
  opened += 1;
  const path = join(root, `${hostLabel()}.${process.pid}.${birthOf(process.pid)}.${opened}`);
  await mkdir(path, { mode: 0o711 });
  const touch = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), hourMs).unref();
  return {
    path,
    async [Symbol.asyncDispose]() {
      clearInterval(touch);
      await removeFolder(path);
    },
  };
}

async function isAbandoned(root: string, name: string): Promise<boolean> {
  const [host, pid, birth] = name.split(".");
  if (host === hostLabel() && pid !== undefined && /^\d+$/.test(pid)) return birthOf(Number(pid)) !== birth;
  const found = await stat(join(root, name)).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > foreignAgeMs;
}

function hostLabel(): string {
  return hostname().replace(/[^A-Za-z0-9-]/g, "-");
}

/** When a process began, so that a reused pid is not mistaken for its former owner; "0" without /proc. */
function birthOf(pid: number): string | undefined {
  return startOf(pid) ?? (isAlive(pid) ? "0" : undefined);
}
