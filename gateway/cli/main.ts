/** `npm run -s filemill -- COMMAND`; `--help` tells which there are. */
import process from "node:process";
import { pipeline } from "node:stream/promises";
import { parseSettings } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { settingTable } from "#kit/settings.ts";
import { runCommandLine, Stopped } from "./program.ts";

const stop = new AbortController();
let stoppedAt = 0;
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    const stopped = new Stopped(name);
    // Whoever presses it again does not want to wait for the tidying up. At once is not again: terminal and npm both tell us.
    if (stop.signal.aborted && performance.now() - stoppedAt > 1000) process.exit(stopped.exitCode);
    if (!stop.signal.aborted) stoppedAt = performance.now();
    stop.abort(stopped);
  });
}
const code = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  callerFolder: process.env.INIT_CWD ?? process.cwd(),
  out: (line) => console.log(line),
  err: (line) => console.error(line),
  isInteractive: process.stderr.isTTY === true,
  signal: stop.signal,
  input: process.stdin,
  outBytes: (bytes) => pipeline(bytes, process.stdout, { end: false }),
  async openLibrary() {
    // Loads every engine, which the commands that only call the service do without.
    const { openLibrary } = await import("#gateway/library.ts");
    return openLibrary(parseSettings(settingTable, process.env), openLog(process.env.LOG_LEVEL || "silent"));
  },
});
// An open connection to the service would keep the process alive.
process.exit(code);
