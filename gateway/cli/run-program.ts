import { Command, CommanderError } from "commander";
import { FilemillError } from "#contract/errors.ts";
import { SettingError } from "#kit/config.ts";
import packageFile from "../../package.json" with { type: "json" };
import { inOwnWords } from "./own-words.ts";
import type { Shell } from "./shell.ts";

/** The reason of an abort: the user pressed Ctrl-C, or the process was terminated. */
export class Stopped extends Error {
  override readonly name = "Stopped";
  readonly exitCode: number;
  constructor(signal: "SIGINT" | "SIGTERM") {
    super("Stopped.");
    this.exitCode = signal === "SIGINT" ? 130 : 143;
  }
}

/** The top-level command. Its subcommands inherit these settings. */
export function newProgram(description: string, more: string, shell: Shell): Command {
  return new Command("filemill")
    .description(description)
    .version(packageFile.version)
    .addHelpText("after", more)
    .exitOverride()
    .configureOutput({ writeOut: (text) => shell.out(text.trimEnd()), writeErr: (text) => shell.err(text.trimEnd()) });
}

/**
 * Runs one command line. Resolves with the exit code: 0 done, 1 failed (standard error starts with the error code), 2 wrong usage, 130 or
 * 143 stopped by a signal, as in shells.
 */
export async function runProgram(program: Command, args: readonly string[], shell: Shell): Promise<number> {
  try {
    await program.parseAsync(args, { from: "user" });
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
