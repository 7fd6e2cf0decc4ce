/** Text tables for tools that know only one dialect, or that guess differently than we do. */
import { join } from "node:path";
import type { EngineHost, HopTask } from "#services/conversion/domain/engine.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { blankMessage, misplacedMessage } from "../inside/records/delimited.ts";
import { askForFile } from "./ask-inspector.ts";
import { stringOption } from "./hop-table.ts";

/** A one-byte character may become three bytes, and each cell gets quotation marks. */
const maxBytes = 400_000_000;

/** Writes the task's table to `made` as UTF-8, comma-separated with quoted text; notes what was guessed. @returns its size */
export async function plainTableOf(
  inspector: Inspector,
  task: Pick<HopTask, "hop" | "input" | "options" | "signal" | "note">,
  made: string,
): Promise<Answer<"plainTable">> {
  const { from } = task.hop;
  const more = {
    format: from,
    encoding: stringOption(task.options, "encoding") ?? "auto",
    delimiter: stringOption(task.options, "delimiter") ?? "auto",
  };
  const table = await askForFile(inspector, "plainTable", [task.input.path], made, { more, signal: task.signal, maxBytes });
  if (table.encoding !== undefined) task.note("ENCODING_GUESSED", table.encoding);
  if (table.separator !== undefined) task.note("DIALECT_GUESSED", `The column separator was taken to be ${table.separator}.`);
  if (table.misplacedAt !== undefined) task.note("INPUT_DAMAGED", misplacedMessage(table.misplacedAt));
  if (table.blankAt !== undefined) task.note("ENTRIES_LEFT_OUT", blankMessage(table.blankAt));
  return table;
}

/** Runs `use` on the task with such a table as its input, which exists until `use` returns. */
export async function withPlainTable(
  { sandbox, inspector }: EngineHost,
  task: HopTask,
  use: (task: HopTask, table: Answer<"plainTable">) => Promise<void>,
): Promise<void> {
  await using scratch = await sandbox.openScratch();
  const path = join(scratch.path, "table");
  const table = await plainTableOf(inspector, task, path);
  await use({ ...task, input: { ...task.input, path } }, table);
}
