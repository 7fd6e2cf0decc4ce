/** Rows of test tables take turns over three days (decision 93). */
import process from "node:process";

/** One row out of this many runs each day. */
const share = 3;
const msPerDay = 86_400_000;
const today = (): number => Math.floor(Date.now() / msPerDay);

/** Whether this run takes every row: `npm test -- --all`. */
export const takesAll = process.env["TEST_ROWS"] === "all";

/**
 * Every third row, with others on the next day, so that three days cover them all. Short tables are run whole.
 *
 * @param day - Days since 1970 (UTC). Two runs on one day take the same rows.
 */
export function sampled<T>(rows: readonly T[], day = today(), all = takesAll): readonly T[] {
  return all || rows.length <= share ? rows : rows.filter((_, at) => (at + day) % share === 0);
}

/** The parts of Vitest's tasks that matter here. */
export type Task = { readonly each?: boolean | undefined; mode: string; result?: unknown; readonly tasks?: readonly Task[] };

/**
 * Skips two of three rows of `it.each` and `describe.each`, and suites that become empty, so that their hooks do not run. Rows are
 * counted across the file, so that short tables take turns too.
 */
export function takeTurns(file: Task, day = today(), all = takesAll): void {
  let row = day;
  const visit = (task: Task): void => {
    if (task.mode !== "run") return;
    if (task.each === true && !isWithTables(task)) {
      row += 1;
      if (!all && row % share !== 0) skip(task);
      return;
    }
    for (const child of task.tasks ?? []) visit(child);
    if (task.tasks !== undefined && task.tasks.length > 0 && task.tasks.every(({ mode }) => mode === "skip")) skip(task);
  };
  visit(file);
}

/** A row that contains a table of its own is always run, and the rows of that table take turns. */
function isWithTables({ tasks = [] }: Task): boolean {
  return tasks.some((task) => task.each === true || isWithTables(task));
}

function skip(task: Task): void {
  task.mode = "skip";
  task.result = { state: "skip" };
  for (const child of task.tasks ?? []) skip(child);
}
