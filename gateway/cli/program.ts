import { Command, CommanderError } from "commander";
import { FilemillError } from "#contract/errors.ts";
import { SettingError } from "#kit/config.ts";
import { addAccountCommands, addKeyCommands } from "./account-commands.ts";
import { addBackupCommands } from "./backup-commands.ts";
import { addCatalogueCommands } from "./catalogue-commands.ts";
import { addCompletion } from "./completion.ts";
import { addConvertCommand } from "./convert-command.ts";
import { addDoctorCommand } from "./doctor-command.ts";
import { addJobCommands } from "./job-commands.ts";
import { addJoinCommand } from "./join-command.ts";
import { addMcpCommand } from "./mcp-command.ts";
import { inOwnWords } from "./own-words.ts";
import { addPresetCommands } from "./presets.ts";
import { addPurgeCommand } from "./purge-command.ts";
import type { Shell } from "./shell.ts";
import { addWatchCommand } from "./watch-command.ts";

/** The reason of an abort: the caller pressed Ctrl-C or ended the process. */
export class Stopped extends Error {
  override readonly name = "Stopped";
  readonly exitCode: number;
  constructor(signal: "SIGINT" | "SIGTERM") {
    super("Stopped.");
    this.exitCode = signal === "SIGINT" ? 130 : 143;
  }
}

/**
 * Runs one command line. Resolves with the exit code: 0 done, 1 failed (the reason on standard error, its code first), 2 wrong usage,
 * 130 or 143 stopped by a signal, as shells have it.
 */
export async function runCommandLine(args: readonly string[], shell: Shell): Promise<number> {
  try {
    await createProgram(shell).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof FilemillError) shell.err(`${error.code}: ${inOwnWords(error.message)}`);
    else if (error instanceof Stopped) return error.exitCode;
    else if (error instanceof SettingError) shell.err(error.message);
    else throw error;
    return 1;
  }
}

function createProgram(shell: Shell): Command {
  // Set before the commands are added: they inherit both.
  const program = new Command("filemill")
    .description("File conversion: on this machine or by a server, and the administration of a running service.")
    .addHelpText(
      "after",
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

A server, and the key for it, are named by FILEMILL_SERVER and FILEMILL_API_KEY; without a server everything is done here.
Exit codes: 0 done, 1 failed (the code of the error stands first on standard error), 2 wrong usage, 130 stopped by Ctrl-C.`,
    )
    .exitOverride()
    .configureOutput({ writeOut: (text) => shell.out(text.trimEnd()), writeErr: (text) => shell.err(text.trimEnd()) });
  addConvertCommand(program, shell);
  addJoinCommand(program, shell);
  addDoctorCommand(program, shell);
  addCatalogueCommands(program, shell);
  addJobCommands(program, shell);
  addWatchCommand(program, shell);
  addPresetCommands(program, shell);
  addMcpCommand(program, shell);
  addAccountCommands(program, shell);
  addKeyCommands(program, shell);
  addBackupCommands(program, shell);
  addPurgeCommand(program, shell);
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
