/** The part of `process` that ending politely needs. */
export type ProcessEvents = {
  once(event: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  exit(code: number): never;
};

/**
 * Runs `end` at the first SIGTERM or SIGINT and then exits. A second signal exits at once with 130,
 * as does `end` when it takes longer than `limitMs`.
 */
export function exitOnSignal(process: ProcessEvents, limitMs: number, end: () => Promise<void>): void {
  let ending = false;
  const onSignal = (): void => {
    if (ending) process.exit(130);
    ending = true;
    process.once("SIGTERM", onSignal);
    process.once("SIGINT", onSignal);
    setTimeout(() => process.exit(130), limitMs).unref();
    end().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once("SIGTERM", onSignal);
  process.once("SIGINT", onSignal);
}
