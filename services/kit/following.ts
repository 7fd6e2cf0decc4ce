/** A signal that fires with the first of several others. */
export type Following = Disposable & {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
};

/**
 * Dispose it when the work is over, which removes its listeners. It does the same as AbortSignal.any, whose weak references cost a
 * small conversion more than the signals themselves.
 */
export function following(...signals: readonly AbortSignal[]): Following {
  const controller = new AbortController();
  const onAbort = (event: Event): void => {
    if (event.target instanceof AbortSignal) controller.abort(event.target.reason);
  };
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener("abort", onAbort, { once: true });
  }
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]() {
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
    },
  };
}
