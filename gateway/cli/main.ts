/** `npm run -s filemill -- COMMAND`; `--help` lists the commands. */
import process from "node:process";
import { parseSettings } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { settingTable } from "#kit/settings.ts";
import { processShell } from "./process-shell.ts";
import { runCommandLine } from "./program.ts";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  // Whoever reads has seen enough: as if by SIGPIPE, which Node.js ignores.
  process.exit(141);
});
const shell = processShell(process, async (how) => {
  // Loads every engine, which commands that only call the service do not need.
  const { openLibrary } = await import("#gateway/library.ts");
  return openLibrary(parseSettings(settingTable, process.env), openLog(process.env.LOG_LEVEL || "silent"), how?.attacksAnyway);
});
const code = await runCommandLine(process.argv.slice(2), shell);
// A pipe takes 64 KiB at once; the rest would be lost.
for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write("", resolve));
// Otherwise an open connection to the service would keep the process alive.
process.exit(code);
