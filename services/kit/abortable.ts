/** The same chunks, but waiting for one ends with the signal's reason as soon as it fires. The source is told to end. */
export function abortable<T>(source: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncIterable<T> {
  return signal === undefined ? source : until(source, signal);
}

async function* until<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  // Not Promise.race with one promise for the whole stream: that one would keep every chunk alive.
  let interrupt: (reason: unknown) => void = () => undefined;
  const onAbort = (): void => interrupt(signal.reason);
  const next = (): Promise<IteratorResult<T>> =>
    new Promise((resolve, reject) => {
      interrupt = reject;
      iterator.next().then(resolve, reject);
    });
  signal.addEventListener("abort", onAbort, { once: true });
  let ended = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const result = await next();
      if (result.done === true) {
        ended = true;
        return;
      }
      yield result.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    // Not awaited: a source that hangs would hold up the abort too.
    if (!ended) iterator.return?.().catch(() => undefined);
  }
}
