import type { Command } from "commander";
import { addAccountCommands, addKeyCommands } from "./account-commands.ts";
import { addBackupCommands } from "./backup-commands.ts";
import { addCatalogueCommands, addInspectCommand } from "./catalogue-commands.ts";
import { addCompletion } from "./completion.ts";
import { addConvertCommand } from "./convert-command.ts";
import { addDoctorCommand } from "./doctor-command.ts";
import { addInstallServiceCommand } from "./install-service-command.ts";
import { addJobCommands } from "./job-commands.ts";
import { addJoinCommand } from "./join-command.ts";
import { addMcpCommand } from "./mcp-command.ts";
import { addPresetCommands } from "./presets.ts";
import { addPurgeCommand } from "./purge-command.ts";
import { newProgram, runProgram } from "./run-program.ts";
import type { Shell } from "./shell.ts";
import { addWatchCommand } from "./watch-command.ts";

/** Runs one command line with all commands. See `runProgram`. */
export function runCommandLine(args: readonly string[], shell: Shell): Promise<number> {
  return runProgram(createProgram(shell), args, shell);
}

function createProgram(shell: Shell): Command {
  const program = newProgram(
    "Convert files, locally or on a server, and manage a running service.",
    `
Examples:
  filemill convert report.docx report.pdf
  filemill convert photos/ --out-dir small --to webp --opt width=800
  filemill convert - - --to csv < prices.xlsx > prices.csv
  filemill preset save web --opt width=1600 --opt quality=75
  filemill convert photo.png photo.webp --preset web
  filemill join cover.png letter.docx scan.pdf all.pdf
  filemill watch inbox --to pdf --move-to done
  filemill inspect mystery.bin
  filemill routes png webp

FILEMILL_SERVER names a server, and FILEMILL_API_KEY holds the key for it. Without a server, files are converted on this machine.
Exit codes: 0 done, 1 failed (standard error starts with the error code), 2 wrong usage, 130 stopped by Ctrl-C.`,
    shell,
  );
  addConvertCommand(program, shell);
  addJoinCommand(program, shell);
  addDoctorCommand(program, shell);
  addCatalogueCommands(program, shell);
  addInspectCommand(program, shell);
  addJobCommands(program, shell);
  addWatchCommand(program, shell);
  addPresetCommands(program, shell);
  addMcpCommand(program, shell);
  addAccountCommands(program, shell);
  addKeyCommands(program, shell);
  addBackupCommands(program, shell);
  addPurgeCommand(program, shell);
  addInstallServiceCommand(program, shell);
  addManualCommand(program, shell);
  addCompletion(program);
  return program;
}

function addManualCommand(program: Command, shell: Shell): void {
  program
    .command("manual")
    .description("print the manual page: filemill manual > filemill.1")
    .action(async () => {
      const { manualOf } = await import("./manual.ts");
      shell.out(manualOf(program, "").trimEnd());
    });
}
