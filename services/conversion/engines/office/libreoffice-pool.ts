/** Warm LibreOffice processes, each in its own sandbox with one document at a time. */
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { EngineHost } from "#services/conversion/domain/engine.ts";
import type { RequestBounds, SandboxChild, SandboxCommand } from "#services/conversion/domain/sandbox.ts";
import { createPool, isWiped } from "../shared/child-pool.ts";

const documentsPerChild = 50;
const workerInside = "/engine/worker.py";
/** In the office's folder, as there is no /tmp. */
const temporary = "tmp";
/** Only python3-uno, nothing else from site packages. */
export const pythonPath = { PYTHONPATH: "/usr/lib/python3/dist-packages", PYTHONDONTWRITEBYTECODE: "1" };
const scripts = [
  "libreoffice-worker.py",
  "libreoffice-binary.py",
  "libreoffice-books.py",
  "libreoffice-cells.py",
  "libreoffice-dbase.py",
  "libreoffice-fields.py",
  "libreoffice-fonts.py",
  "libreoffice-links.py",
  "libreoffice-menus.py",
  "libreoffice-opendocument.py",
  "libreoffice-packages.py",
  "libreoffice-page.py",
  "libreoffice-process.py",
  "libreoffice-results.py",
  "libreoffice-slides.py",
  "libreoffice-sources.py",
  "libreoffice-spreadsheetml.py",
  "libreoffice-targets.py",
  "libreoffice-unshown.py",
  "libreoffice-volatile.py",
];
/** The worker and its modules, placed side by side for Python to find. */
export const workerFiles: Readonly<Record<string, string>> = {
  [join(import.meta.dirname, "../shared/installed-fonts.py")]: "/engine/installed_fonts.py",
  ...Object.fromEntries(scripts.map((name) => [join(import.meta.dirname, name), `/engine/${name.replace("libreoffice-", "")}`])),
};

/**
 * Packages for headless machines lack the definition of the comment window, and the office
 * crashes when it shows text with a comment. This supplies LibreOffice's own file (MPL 2.0).
 */
const textWindows = "/usr/lib/libreoffice/share/config/soffice.cfg/modules/swriter/ui";

async function windowFiles(): Promise<Readonly<Record<string, string>>> {
  const present = await readdir(textWindows).catch(() => undefined);
  return present?.length === 0 ? { [join(import.meta.dirname, "libreoffice-ui")]: textWindows } : {};
}

export type OfficeJob = Readonly<Record<string, unknown>>;
export type OfficePool = AsyncDisposable & {
  /**
   * Converts on a free LibreOffice, waiting for one if necessary. `take` gets
   * the host path of the result before the office serves the next document.
   *
   * @throws FilemillError CONVERSION_TIMEOUT, JOB_CANCELLED, UNAVAILABLE if none starts, or an EngineFault if LibreOffice died.
   */
  convert<T>(input: string, job: OfficeJob, bounds: Bounds, take: (answer: unknown, outputPath: string) => Promise<T>): Promise<T>;
};
type Bounds = RequestBounds & { readonly signal: AbortSignal };

/** Starts one process in the background and returns at once; more are started while documents wait. */
export function openOfficePool({ sandbox, slots, log }: EngineHost): OfficePool {
  const pool = createPool({ size: slots, warm: 1, jobs: documentsPerChild, start: () => startOffice(sandbox), log });
  return {
    async convert(input, job, bounds, take) {
      const child = await pool.take(bounds.signal);
      const name = randomUUID();
      const base = join(child.folder, name);
      const inside = sandbox.mode === "full" ? `/job/${name}` : base;
      let isSound = false;
      try {
        // Exclusive: an earlier hostile document may have placed a link there.
        await copyFile(input, `${base}.in`, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        await chmod(`${base}.in`, 0o644);
        const answer = await child.request({ ...job, input: `${inside}.in`, output: `${inside}.out` }, bounds);
        isSound = true;
        return await take(answer, `${base}.out`);
      } finally {
        // The worker clears its own temporary files.
        pool.giveBack(child, isSound && isWiped(child, { keeps: temporary }));
      }
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

async function startOffice(sandbox: EngineHost["sandbox"]): Promise<SandboxChild> {
  return await sandbox.spawn({
    ...(sandbox.mode === "full" ? besideOffice(await windowFiles()) : insideOffice(await windowFiles())),
    limits: {
      wallMs: 0,
      cpuSeconds: 86_400,
      memoryBytes: 1536 * 2 ** 20,
      addressSpace: false,
      processes: 128,
      openFiles: 512,
      fileBytes: 2 ** 30,
      folderBytes: 2 * 2 ** 30,
    },
  });
}

function besideOffice(windows: Readonly<Record<string, string>>): Omit<SandboxCommand, "folder" | "limits"> {
  const program = "/usr/bin/python3";
  return { program, args: ["-S", "-u", workerInside], env: pythonPath, readOnly: { ...workerFiles, ...windows } };
}

/** For the degraded sandbox, which mounts nothing and in which no process can connect to another. */
function insideOffice(windows: Readonly<Record<string, string>>): Omit<SandboxCommand, "folder" | "limits"> {
  const starter = "/engine/inside.py";
  const modules = Object.values(workerFiles).map((path) => `${basename(path, ".py")}=${path}`);
  const replaced = Object.entries(windows).map(([from, to]) => `windows=${to}=${from}`);
  return {
    program: "/usr/bin/python3",
    args: ["-S", "-u", starter, ...modules, ...replaced],
    env: { ...pythonPath, TMPDIR: `/job/${temporary}` },
    readOnly: {
      ...workerFiles,
      [join(import.meta.dirname, "libreoffice-inside.py")]: starter,
      ...Object.fromEntries(Object.keys(windows).map((from) => [from, from])),
    },
  };
}
