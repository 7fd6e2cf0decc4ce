/** The command without engines, for machines that only call a server. `npm run -s pack:client` builds its package. */
import process from "node:process";
import { FilemillError } from "#contract/errors.ts";
import { addCatalogueCommands } from "#gateway/cli/catalogue-commands.ts";
import { addCompletion } from "#gateway/cli/completion.ts";
import { addConvertCommand } from "#gateway/cli/convert-command.ts";
import { addJobCommands } from "#gateway/cli/job-commands.ts";
import { addJoinCommand } from "#gateway/cli/join-command.ts";
import { addPresetCommands } from "#gateway/cli/presets.ts";
import { endProcess, processShell } from "#gateway/cli/process-shell.ts";
import { newProgram, runProgram } from "#gateway/cli/run-program.ts";
import { needServerAddress, type ServerFlags } from "#gateway/cli/server-address.ts";
import { addWatchCommand } from "#gateway/cli/watch-command.ts";

const shell = processShell(process, () => {
  const message = "This is the client only; name a server with --server URL or FILEMILL_SERVER.";
  return Promise.reject(new FilemillError("BAD_REQUEST", message));
});
const program = newProgram(
  "Convert files on a server.",
  `
Examples:
  export FILEMILL_SERVER=https://files.example.org FILEMILL_API_KEY=fm_…
  filemill convert report.docx report.pdf
  filemill convert photos/ --out-dir small --to webp --opt width=800
  filemill jobs list

Exit codes: 0 done, 1 failed (standard error starts with the error code), 2 wrong usage, 130 stopped by Ctrl-C.`,
  shell,
);
// Without a server, these commands would look for a service or engines on this machine.
program.hook("preAction", (_program, command) => {
  if (command.options.some(({ long }) => long === "--server")) needServerAddress(command.opts<ServerFlags>(), shell);
});
addConvertCommand(program, shell);
addJoinCommand(program, shell);
addCatalogueCommands(program, shell);
addJobCommands(program, shell);
addWatchCommand(program, shell);
addPresetCommands(program, shell);
addCompletion(program);
await endProcess(process, await runProgram(program, process.argv.slice(2), shell));
