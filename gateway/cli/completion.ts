import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";
import { formats } from "#formats/index.ts";

/** Adds `complete`: the script for a shell, and what the script asks while somebody types. To be called when all commands are there. */
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
