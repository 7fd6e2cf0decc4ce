/** Rows of test tables take turns over a week (decision 93). */
import process from "node:process";

/** One row in so many runs on a day. */
const share = 7;
const msPerDay = 86_400_000;
const today = (): number => Math.floor(Date.now() / msPerDay);

/** Whether this run takes every row: `npm test -- --all`. */
export const takesAll = process.env["TEST_ROWS"] === "all";

type Turn = {
  /** Days since 1970 (UTC). Two runs on one day take the same rows. */
  readonly day?: number;
  readonly all?: boolean;
  /** One row in so many runs on a day. */
  readonly of?: number;
};

/** Every seventh row, others on the next day, so that a week covers them all. Short tables run whole. */
export function sampled<T>(rows: readonly T[], { day = today(), all = takesAll, of = share }: Turn = {}): readonly T[] {
  return all || rows.length <= of ? rows : rows.filter((_, at) => (at + day) % of === 0);
}

/** The parts of Vitest's tasks that matter here. */
export type Task = { readonly each?: boolean | undefined; mode: string; result?: unknown; readonly tasks?: readonly Task[] };

/**
 * Skips six of seven rows of `it.each` and `describe.each`, and suites of which nothing is left, so that their hooks do not run. Rows are
 * counted through the file, so that short tables take turns too.
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

/** A row that has a table of its own is taken, and rows of that table take turns. */
function isWithTables({ tasks = [] }: Task): boolean {
  return tasks.some((task) => task.each === true || isWithTables(task));
}

function skip(task: Task): void {
  task.mode = "skip";
  task.result = { state: "skip" };
  for (const child of task.tasks ?? []) skip(child);
}
