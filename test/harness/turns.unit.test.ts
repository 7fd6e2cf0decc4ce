import { describe, expect, it, test } from "vitest";
import { sampled, type Task, takeTurns } from "./turns.ts";

const rows = Array.from({ length: 20 }, (_, at) => at);

test("three days cover every row exactly once", () => {
  const taken = [7, 8, 9].flatMap((day) => sampled(rows, day, false));
  expect(taken.toSorted((a, b) => a - b)).toEqual(rows);
});

test("a day covers about a third, the same rows each time", () => {
  expect(sampled(rows, 7, false).length).toBeLessThan(8);
  expect(sampled(rows, 7, false)).toEqual(sampled(rows, 7, false));
});

test("short tables are run whole, and all tables are with --all", () => {
  expect(sampled([1, 2, 3], 7, false)).toEqual([1, 2, 3]);
  expect(sampled(rows, 7, true)).toEqual(rows);
});

describe("rows of test tables", () => {
  const row = (): Task => ({ mode: "run", each: true });
  const named = (): Task => ({ mode: "run" });
  const taken = (tasks: readonly Task[]) => tasks.flatMap(({ mode }, at) => (mode === "run" ? [at] : []));
  const suite = (tasks: readonly Task[], each = false): Task => ({ mode: "run", tasks, each });

  it("take turns over three days, unlike tests outside of tables", () => {
    const days = [7, 8, 9].map((day) => {
      const tasks = [named(), ...Array.from({ length: 6 }, row), named()];
      takeTurns(suite(tasks), day, false);
      return taken(tasks);
    });
    expect(days.map((places) => [places.at(0), places.at(-1), places.length])).toEqual(Array.from({ length: 3 }, () => [0, 7, 4]));
    expect(days.flatMap((places) => places.slice(1, -1)).toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("are counted across the file, so that short tables take turns too", () => {
    const suites = Array.from({ length: 6 }, () => suite([row()]));
    takeTurns(suite(suites), 7, false);
    expect(taken(suites)).toHaveLength(2);
  });

  it("that contain tables are always run, while the inner rows take turns", () => {
    const inner = [row(), row(), row()];
    const outer = suite(inner, true);
    takeTurns(suite([outer]), 7, false);
    expect([outer.mode, taken(inner).length]).toEqual(["run", 1]);
  });

  it("are skipped with all their tests", () => {
    const suites = Array.from({ length: 3 }, () => suite([named(), named()], true));
    takeTurns(suite(suites), 7, false);
    expect(suites.map(({ tasks = [] }) => taken(tasks).length).toSorted()).toEqual([0, 0, 2]);
  });

  it("are all run with --all", () => {
    const tasks = Array.from({ length: 6 }, row);
    takeTurns(suite(tasks), 7, true);
    expect(taken(tasks)).toHaveLength(6);
  });
});
