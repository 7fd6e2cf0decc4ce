/** Walks a folder again and again, at a pace of its own: a slow disk delays nothing but the next walk. */

export type FolderWatch = {
  /** A job begins: not later than a busy folder is looked at. */
  hurry(): void;
  stop(): void;
};

const busyPauseMs = 500;
const idlePauseMs = 10_000;
/** Walking a hundred thousand files takes most of a second of our own processor time: it is a fifth of all time at most. */
const pausePerWalk = 4;

/** @param walk - Resolves with whether the folder holds too much. */
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
      // Never later than planned, so that many small jobs in a row do not put it off for ever.
      if (timer !== undefined && pauseMs > shortestMs) plan(shortestMs);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
