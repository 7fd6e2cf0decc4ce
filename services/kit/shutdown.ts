/** The part of `process` that a clean shutdown needs. */
export type ProcessEvents = {
  on(event: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  exit(code: number): never;
};

/**
 * Exit code of a process that cannot run with its configuration: EX_CONFIG of sysexits.h. A supervisor does not restart it, unlike after 1,
 * with which Node exits after an uncaught error.
 */
export const cannotRunCode = 78;
/** Exit code when the shutdown did not complete. */
const cutShortCode = 130;

/** Under npm one Ctrl-C arrives twice: from the terminal, and passed on by npm. A signal this soon after the first is the same request. */
const echoMs = 500;

/**
 * Runs `end` at the first SIGTERM or SIGINT and then exits. A second signal later exits at once with 130. The exit code is also 130 if
 * `end` fails or takes longer than `limitMs`.
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
