/** Generates the manual page from the declared commands. */
import type { Command } from "commander";

/** The manual page, in the macros of man(7). */
export function manualOf(program: Command, version: string): string {
  const help = program.createHelp();
  const lines = [
    `.TH FILEMILL 1 "" "Filemill ${version}" "User Commands"`,
    ".SH NAME",
    `filemill \\- convert files, locally or on a server`,
    ".SH SYNOPSIS",
    ".B filemill",
    ".I command",
    "[arguments]",
    ".SH DESCRIPTION",
    escaped(program.description()),
    ".SH COMMANDS",
    ...commandsOf(program).flatMap((command) => [
      `.SS ${escaped(`filemill ${pathOf(command)} ${help.commandUsage(command).split(" [options]")[1]?.trim() ?? ""}`.trim())}`,
      escaped(command.description()),
      ...help
        .visibleOptions(command)
        .filter(({ long }) => long !== "--help")
        .flatMap((option) => [".TP", `.B ${escaped(option.flags)}`, escaped(option.description)]),
    ]),
    ".SH ENVIRONMENT",
    ".TP",
    ".B FILEMILL_SERVER",
    "The server that converts. Unset: files are converted locally.",
    ".TP",
    ".B FILEMILL_API_KEY",
    "The API key for that server.",
    ".TP",
    ".B DATA_DIR",
    "The data folder of the service that runs here.",
    ".SH EXIT STATUS",
    "0 done, 1 failed (standard error starts with the error code), 2 wrong usage, 130 or 143 stopped by a signal.",
  ];
  return `${lines.join("\n")}\n`;
}

/** All commands that have an action, in order. */
function commandsOf(command: Command): readonly Command[] {
  const below = command.commands.filter(({ parent }) => parent === command);
  return below.flatMap((each) => (each.commands.length > 0 ? commandsOf(each) : [each]));
}

function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}

function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/, "\\&$1");
}
