/** The part of `process` that ending politely needs. */
export type ProcessEvents = {
  on(event: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  exit(code: number): never;
};

/** One Ctrl-C arrives twice under npm: from the terminal, and passed on by npm. What comes this soon is the same wish. */
const echoMs = 500;

/**
 * Runs `end` at the first SIGTERM or SIGINT and then exits. Another signal later exits at once with 130,
 * as does `end` when it takes longer than `limitMs`.
 */
export function exitOnSignal(process: ProcessEvents, limitMs: number, end: () => Promise<void>): void {
  let endingSinceMs: number | undefined;
  const onSignal = (): void => {
    if (endingSinceMs !== undefined) {
      if (performance.now() - endingSinceMs > echoMs) process.exit(130);
      return;
    }
    endingSinceMs = performance.now();
    setTimeout(() => process.exit(130), limitMs).unref();
    end().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
