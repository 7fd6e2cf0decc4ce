import { pipeline } from "node:stream/promises";
import { Stopped } from "./run-program.ts";
import type { Shell } from "./shell.ts";

/** A process as a Shell. The first Ctrl-C stops it gracefully, a second one immediately. */
export function processShell(own: NodeJS.Process, openLibrary: Shell["openLibrary"]): Shell {
  const stop = new AbortController();
  let stoppedAt = 0;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    own.on(name, () => {
      const stopped = new Stopped(name);
      // Signals within one second count as one, because both the terminal and npm send them. A later one skips the cleanup.
      if (stop.signal.aborted && performance.now() - stoppedAt > 1000) own.exit(stopped.exitCode);
      if (!stop.signal.aborted) stoppedAt = performance.now();
      stop.abort(stopped);
    });
  }
  own.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    // Whoever reads has seen enough: as if by SIGPIPE, which Node.js ignores.
    own.exit(141);
  });
  return {
    env: own.env,
    callerFolder: own.env.INIT_CWD ?? own.cwd(),
    out: (line) => void own.stdout.write(`${line}\n`),
    err: (line) => void own.stderr.write(`${line}\n`),
    isInteractive: own.stderr.isTTY === true,
    signal: stop.signal,
    input: own.stdin,
    outBytes: (bytes) => pipeline(bytes, own.stdout, { end: false }),
    openLibrary,
  };
}

/** Ends the process even if a connection to a service is open, but not before all is written: a pipe takes 64 KiB at once. */
export async function endProcess(own: NodeJS.Process, exitCode: number): Promise<never> {
  for (const stream of [own.stdout, own.stderr]) await new Promise((resolve) => stream.write("", resolve));
  return own.exit(exitCode);
}
