/** `npm run -s filemill -- COMMAND`; `--help` tells which there are. */
import process from "node:process";
import { parseSettings } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { settingTable } from "#kit/settings.ts";
import { runCommandLine } from "./program.ts";

const code = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  callerFolder: process.env.INIT_CWD ?? process.cwd(),
  out: (line) => console.log(line),
  err: (line) => console.error(line),
  isInteractive: process.stderr.isTTY === true,
  async openLibrary() {
    // Loads every engine, which the commands that only call the service do without.
    const { openLibrary } = await import("#gateway/compose.ts");
    return openLibrary(parseSettings(settingTable, process.env), openLog(process.env.LOG_LEVEL || "silent"));
  },
});
// An open connection to the service would keep the process alive.
process.exit(code);
