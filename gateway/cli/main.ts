/** `npm run -s filemill -- COMMAND`; `--help` lists the commands. */
import process from "node:process";
import { parseSettings } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { settingTable } from "#kit/settings.ts";
import { endProcess, processShell } from "./process-shell.ts";
import { runCommandLine } from "./program.ts";

const shell = processShell(process, async (how) => {
  // Loads every engine, which commands that only call the service do not need.
  const { openLibrary } = await import("#gateway/library.ts");
  return openLibrary(parseSettings(settingTable, process.env), openLog(process.env.LOG_LEVEL || "silent"), how?.attacksAnyway);
});
await endProcess(process, await runCommandLine(process.argv.slice(2), shell));
