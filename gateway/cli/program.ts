import { Command, CommanderError } from "commander";
import { SettingError } from "#kit/config.ts";
import { FilemillError } from "#kit/errors.ts";
import { addAccountCommands, addKeyCommands } from "./account-commands.ts";
import { addFormatsCommand } from "./catalogue-commands.ts";
import { addConvertCommand } from "./convert-command.ts";
import { addDoctorCommand } from "./doctor-command.ts";
import { addJobCommands } from "./job-commands.ts";
import type { Shell } from "./shell.ts";

/** Runs one command line. Resolves with the exit code: 0 done, 1 failed (the reason on standard error, its code first), 2 wrong usage. */
export async function runCommandLine(args: readonly string[], shell: Shell): Promise<0 | 1 | 2> {
  try {
    await createProgram(shell).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof FilemillError) shell.err(`${error.code}: ${error.message}`);
    else if (error instanceof SettingError) shell.err(error.message);
    else throw error;
    return 1;
  }
}

function createProgram(shell: Shell): Command {
  // Set before the commands are added: they inherit both.
  const program = new Command("filemill")
    .description("File conversion: on this machine or by a server, and the administration of a running service.")
    .exitOverride()
    .configureOutput({ writeOut: (text) => shell.out(text.trimEnd()), writeErr: (text) => shell.err(text.trimEnd()) });
  addConvertCommand(program, shell);
  addDoctorCommand(program, shell);
  addFormatsCommand(program, shell);
  addJobCommands(program, shell);
  addAccountCommands(program, shell);
  addKeyCommands(program, shell);
  return program;
}
