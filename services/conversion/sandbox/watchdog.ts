/**
 * Kills a tree that exceeds its limits. Checks closely while a job is running in it, and rarely while it waits for one. Memory checks never
 * wait for a disk.
 */
import type { SandboxLimits } from "../domain/sandbox.ts";
import { watchFolder } from "./folder-watch.ts";
import { setNiceness } from "./priority.ts";
import { createCpuMeter, folderBytesOf, memoryOf, unlinkedBytesOf } from "./usage.ts";

export type Watchdog = {
  /** A check costs a millisecond, so a dozen waiting processes must not be checked ten times a second. */
  setBusy(isBusy: boolean): void;
  /** CPU time so far: what was observed, plus one busy CPU since the last check. */
  processorMs(): number;
  stop(): void;
};

const busyPauseMs = 100;
const idlePauseMs = 2000;
/** CPU time is checked once per this many checks. */
const looksPerWideLook = 5;
/** A job that has taken a second by then yields to shorter ones (decision 27). */
const looksOfShortJob = 10;
const nicenessOfLongJob = 10;

export function startWatchdog(
  pid: number,
  folder: string | undefined,
  limits: SandboxLimits,
  kill: (reason: "memory" | "folder" | "processor") => void,
  folderBytes = folderBytesOf,
): Watchdog {
  const cpuSecondsNow = createCpuMeter(pid);
  let seen = { cpuSeconds: 0, atMs: performance.now() };
  let isBusy = true;
  let isStopped = false;
  let looks = 0;
  let busyLooks = 0;
  let pauseMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const isFull = async (path: string): Promise<boolean> => (await folderBytes(path)) + unlinkedBytesOf(pid, path) > limits.folderBytes;
  const hasJob = (): boolean => isBusy;
  const onFull = (): void => kill("folder");
  const folderWatch = folder === undefined ? undefined : watchFolder(() => isFull(folder), hasJob, onFull);
  const makeRoom = createNiceness(pid, limits, () => isBusy && busyLooks >= looksOfShortJob);

  function schedule(): void {
    clearTimeout(timer);
    pauseMs = isBusy ? busyPauseMs : idlePauseMs;
    timer = setTimeout(look, pauseMs).unref();
  }

  function look(): void {
    looks += 1;
    busyLooks += 1;
    makeRoom();
    if (memoryOf(pid, limits.memoryBytes) > limits.memoryBytes) kill("memory");
    if (looks % looksPerWideLook === 0) {
      // The kernel counts each process separately, and therefore never kills one that lets others do the work.
      seen = { cpuSeconds: cpuSecondsNow(), atMs: performance.now() };
      if (seen.cpuSeconds > limits.cpuSeconds) kill("processor");
    }
    if (!isStopped) schedule();
  }

  schedule();
  return {
    setBusy(busy) {
      isBusy = busy;
      busyLooks = 0;
      makeRoom();
      // Only ever earlier: a short pause is kept, so that many small jobs in a row cannot postpone the check forever.
      if (busy && pauseMs > busyPauseMs && !isStopped) {
        schedule();
        folderWatch?.hurry();
      }
    },
    processorMs: () => seen.cpuSeconds * 1000 + performance.now() - seen.atMs,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      folderWatch?.stop();
    },
  };
}

/** Changes the niceness if it differs. */
function createNiceness(pid: number, limits: SandboxLimits, isLong: () => boolean): () => void {
  let niceness = 0;
  return () => {
    const wanted = isLong() ? Math.max(limits.niceness, nicenessOfLongJob) : limits.niceness;
    if (wanted !== niceness && setNiceness(pid, wanted, limits.wallMs > 0)) niceness = wanted;
  };
}
