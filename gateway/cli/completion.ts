import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";
import { formats } from "#formats/index.ts";

/**
 * Adds `complete`: prints the completion script for a shell, and answers that script's queries. Call it after all other commands are added.
 */
export function addCompletion(program: Command): void {
  const root = tab(program);
  for (const command of root.commands.values()) {
    for (const name of ["to", "from"]) {
      const option = command.options.get(name);
      if (option === undefined) continue;
      option.isBoolean = false;
      option.handler = (complete) => {
        for (const { id, label } of formats) complete(id, label);
      };
    }
  }
}
