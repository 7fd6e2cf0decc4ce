/** Warm LibreOffices, each in a sandbox of its own with one document at a time. */
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FilemillError } from "#contract/errors.ts";
import type { EngineHost } from "#services/conversion/domain/engine.ts";
import type { RequestBounds, SandboxChild } from "#services/conversion/domain/sandbox.ts";

const documentsPerChild = 50;
const grownBytes = 600 * 2 ** 20;
/** For one that hangs: with many beside it on a slow machine, a start takes half a minute. */
const startTimeoutMs = 180_000;
const restartDelayMs = 1_000;
const workerInside = "/engine/worker.py";
/** python3-uno, and nothing else that a site could add. */
export const pythonPath = { PYTHONPATH: "/usr/lib/python3/dist-packages", PYTHONDONTWRITEBYTECODE: "1" };
/** The worker and its modules, beside which Python looks for them. */
export const workerFiles = {
  [join(import.meta.dirname, "libreoffice-worker.py")]: workerInside,
  [join(import.meta.dirname, "libreoffice-fonts.py")]: "/engine/fonts.py",
  [join(import.meta.dirname, "../shared/installed-fonts.py")]: "/engine/installed_fonts.py",
  [join(import.meta.dirname, "libreoffice-books.py")]: "/engine/books.py",
  [join(import.meta.dirname, "libreoffice-cells.py")]: "/engine/cells.py",
  [join(import.meta.dirname, "libreoffice-slides.py")]: "/engine/slides.py",
  [join(import.meta.dirname, "libreoffice-page.py")]: "/engine/page.py",
};

type Waiter = { resolve(slot: Slot): void; reject(error: unknown): void };
type Slot = { child: SandboxChild; served: number };

export type OfficeJob = Readonly<Record<string, unknown>>;
export type OfficePool = AsyncDisposable & {
  /**
   * Converts on a free LibreOffice, waiting for one. `take` gets the host path of the result before the slot serves the next document.
   *
   * @throws FilemillError CONVERSION_TIMEOUT, JOB_CANCELLED, or an EngineFault when the LibreOffice died.
   */
  convert<T>(input: string, job: OfficeJob, bounds: Bounds, take: (answer: unknown, outputPath: string) => Promise<T>): Promise<T>;
};
type Bounds = RequestBounds & { readonly signal: AbortSignal };

/** Starts them in the background and returns at once. */
export function openOfficePool(host: EngineHost): OfficePool {
  const closing = new AbortController();
  const idle: Slot[] = [];
  const waiting: Waiter[] = [];
  const busy = new Set<Slot>();
  const background = new Set<Promise<void>>();

  function inBackground(work: PromiseLike<void>): void {
    const forgotten = Promise.resolve(work).catch((error: unknown) => host.log("libreoffice.failed", { error: String(error) }));
    background.add(forgotten);
    void forgotten.finally(() => background.delete(forgotten));
  }

  async function startSlot(): Promise<void> {
    for (let tries = 1; !closing.signal.aborted; tries++) {
      try {
        offer(await openSlot(host));
        return;
      } catch (error) {
        host.log("libreoffice.start.failed", { tries, err: error });
        await sleep(Math.min(restartDelayMs * 2 ** (tries - 1), 30_000), undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  }

  function offer(slot: Slot): void {
    if (closing.signal.aborted) return void inBackground(slot.child[Symbol.asyncDispose]());
    const next = waiting.shift();
    if (next === undefined) idle.push(slot);
    else next.resolve(slot);
  }

  async function claim(bounds: Bounds): Promise<Slot> {
    for (let slot = idle.pop(); slot !== undefined; slot = idle.pop()) {
      if (slot.child.alive) return slot;
      inBackground(startSlot());
    }
    const { promise, resolve, reject } = Promise.withResolvers<Slot>();
    const waiter: Waiter = { resolve, reject };
    waiting.push(waiter);
    const leave = (error: unknown) => {
      const place = waiting.indexOf(waiter);
      if (place >= 0) waiting.splice(place, 1);
      reject(error);
    };
    const cancelled = () => leave(bounds.signal.reason);
    const timer = setTimeout(
      () => leave(new FilemillError("CONVERSION_TIMEOUT", "The conversion waited too long for a free LibreOffice.")),
      bounds.timeoutMs,
    );
    bounds.signal.addEventListener("abort", cancelled, { once: true });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      bounds.signal.removeEventListener("abort", cancelled);
    }
  }

  /** Back to the idle ones, or replaced when it is worn, grown or dead. */
  async function giveBack(slot: Slot, isSound: boolean): Promise<void> {
    busy.delete(slot);
    const isWorn = !isSound || !slot.child.alive || slot.served >= documentsPerChild || (await slot.child.memoryBytes()) > grownBytes;
    if (!isWorn) return offer(slot);
    host.log("libreoffice.replaced", { served: slot.served, sound: isSound });
    await slot.child[Symbol.asyncDispose]();
    await startSlot();
  }

  async function attempt(input: string, job: OfficeJob, bounds: Bounds): Promise<{ slot: Slot; answer: unknown; base: string }> {
    const slot = await claim(bounds);
    busy.add(slot);
    slot.served += 1;
    const name = randomUUID();
    const base = join(slot.child.folder, name);
    try {
      // Exclusive: a hostile document of before must not have put a link there.
      await copyFile(input, `${base}.in`, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      await chmod(`${base}.in`, 0o644);
      const message = { ...job, input: `/job/${name}.in`, output: `/job/${name}.out` };
      return { slot, base, answer: await slot.child.request(message, bounds) };
    } catch (error) {
      inBackground(giveBack(slot, false));
      throw error;
    }
  }

  const pool: OfficePool = {
    async convert(input, job, bounds, take) {
      const { slot, answer, base } = await attempt(input, job, bounds);
      try {
        return await take(answer, `${base}.out`);
      } finally {
        inBackground(giveBack(slot, await isWiped(slot.child.folder)));
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      for (const waiter of waiting.splice(0)) waiter.reject(new FilemillError("UNAVAILABLE", "The service is stopping."));
      await Promise.all([...idle.splice(0), ...busy].map(({ child }) => child[Symbol.asyncDispose]()));
      await Promise.all(background);
    },
  };
  for (let index = 0; index < host.slots; index++) inBackground(startSlot());
  return pool;
}

/** Nothing of a document is there for the next one; the worker clears its own temporary files. */
async function isWiped(folder: string): Promise<boolean> {
  try {
    const left = await readdir(folder);
    await Promise.all(left.map((name) => rm(join(folder, name), { recursive: true, force: true })));
    return true;
  } catch {
    return false;
  }
}

/** Ready when it has answered once: LibreOffice runs and listens. */
async function openSlot(host: EngineHost): Promise<Slot> {
  const begun = performance.now();
  const child = await host.sandbox.spawn({
    program: "/usr/bin/python3",
    args: ["-S", "-u", workerInside],
    env: pythonPath,
    readOnly: workerFiles,
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
  try {
    await child.request({ ping: true }, { timeoutMs: startTimeoutMs });
    host.log("libreoffice.ready", { elapsedMs: Math.round(performance.now() - begun) });
    return { child, served: 0 };
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
}
