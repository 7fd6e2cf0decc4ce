/** Values that a stream has yet to send. */
export type ChangeQueue<T> = {
  /** Replaces the last pending value if `replaces` says so. */
  push(value: T, replaces?: (last: T, value: T) => boolean): void;
  /** The next value, or "idle" if none arrives within `waitMs` or a signal fires. */
  next(waitMs?: number): Promise<"idle" | { readonly value: T }>;
  clear(): void;
  close(): void;
};

/** @param signals - Each of them ends the waiting. Whoever opens the queue must close it. */
export function openChangeQueue<T>(signals: readonly AbortSignal[]): ChangeQueue<T> {
  const values: T[] = [];
  let wake: (() => void) | undefined;
  const onAbort = (): void => wake?.();
  for (const signal of signals) signal.addEventListener("abort", onAbort);
  const take = (): "idle" | { readonly value: T } => {
    const [value] = values.splice(0, 1).map((taken) => ({ value: taken }));
    return value ?? "idle";
  };
  return {
    push(value, replaces) {
      const last = values.length - 1;
      if (values.slice(-1).some((pending) => replaces?.(pending, value) === true)) values[last] = value;
      else values.push(value);
      wake?.();
    },
    async next(waitMs) {
      if (values.length > 0 || signals.some((signal) => signal.aborted)) return take();
      const woken = Promise.withResolvers<void>();
      wake = woken.resolve;
      const timer = waitMs === undefined ? undefined : setTimeout(woken.resolve, waitMs);
      await woken.promise;
      wake = undefined;
      clearTimeout(timer);
      return take();
    },
    clear: () => void values.splice(0),
    close() {
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
    },
  };
}
