/** Admits a limited number of holders at once. Others wait in order. */
export type Gate = {
  /** Undefined if a place was free, which is then taken at once; otherwise a promise of a place. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<void> | undefined;
  leave(): void;
};

export function createGate(places: number): Gate {
  let free = places;
  const waiting: (() => void)[] = [];
  return {
    enter(signal) {
      if (free > 0) {
        free -= 1;
        return undefined;
      }
      return new Promise<void>((resolve, reject) => {
        const onTurn = (): void => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        };
        const onAbort = (): void => {
          waiting.splice(waiting.indexOf(onTurn), 1);
          reject(signal.reason);
        };
        if (signal.aborted) return reject(signal.reason);
        signal.addEventListener("abort", onAbort, { once: true });
        waiting.push(onTurn);
      });
    },
    leave() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}
