/** The part of `process` that ending politely needs. */
export type ProcessEvents = {
  on(event: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  exit(code: number): never;
};

/**
 * Of a process that cannot run as it is set up: EX_CONFIG of sysexits.h. Who keeps processes running starts it no second time, as it
 * does after 1, by which Node ends for an error that nobody caught.
 */
export const cannotRunCode = 78;
/** Of one that was told to end, and did not end as it should. */
const cutShortCode = 130;

/** One Ctrl-C arrives twice under npm: from the terminal, and passed on by npm. What comes this soon is the same wish. */
const echoMs = 500;

/**
 * Runs `end` at the first SIGTERM or SIGINT and then exits. Another signal later exits at once with 130,
 * as does `end` when it fails or takes longer than `limitMs`.
 */
export function exitOnSignal(process: ProcessEvents, limitMs: number, end: () => Promise<void>): void {
  let endingSinceMs: number | undefined;
  const onSignal = (): void => {
    if (endingSinceMs !== undefined) {
      if (performance.now() - endingSinceMs > echoMs) process.exit(cutShortCode);
      return;
    }
    endingSinceMs = performance.now();
    setTimeout(() => process.exit(cutShortCode), limitMs).unref();
    end().then(
      () => process.exit(0),
      () => process.exit(cutShortCode),
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
