/** Walks a folder repeatedly, at its own pace. A slow disk only delays the next walk. */

export type FolderWatch = {
  /** A job starts: the next walk comes no later than in a busy folder. */
  hurry(): void;
  stop(): void;
};

const busyPauseMs = 500;
const idlePauseMs = 10_000;
/** Walking a hundred thousand files takes most of a second of this process's CPU time. So walks take a fifth of the time at most. */
const pausePerWalk = 4;

/** @param walk - Resolves with whether the folder contains too much. */
export function watchFolder(walk: () => Promise<boolean>, isBusy: () => boolean, onFull: () => void): FolderWatch {
  let timer: NodeJS.Timeout | undefined;
  let shortestMs = busyPauseMs;
  let pauseMs = 0;
  let isStopped = false;

  function plan(afterMs: number): void {
    clearTimeout(timer);
    pauseMs = afterMs;
    timer = setTimeout(look, afterMs).unref();
  }

  async function look(): Promise<void> {
    timer = undefined;
    const startedAt = performance.now();
    const isFull = await walk();
    if (isStopped) return;
    if (isFull) onFull();
    shortestMs = Math.max(busyPauseMs, (performance.now() - startedAt) * pausePerWalk);
    plan(isBusy() ? shortestMs : Math.max(shortestMs, idlePauseMs));
  }

  plan(busyPauseMs);
  return {
    hurry() {
      // Never later than planned, so that many small jobs in a row cannot postpone the walk forever.
      if (timer !== undefined && pauseMs > shortestMs) plan(shortestMs);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
