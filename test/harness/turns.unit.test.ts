import { describe, expect, it, test } from "vitest";
import { sampled, type Task, takeTurns } from "./turns.ts";

const rows = Array.from({ length: 20 }, (_, at) => at);
const week = Array.from({ length: 7 }, (_, at) => 7 + at);

test("a week takes every row once", () => {
  const taken = week.flatMap((day) => sampled(rows, { day, all: false }));
  expect(taken.toSorted((a, b) => a - b)).toEqual(rows);
});

test("a day takes a seventh, the same rows each time", () => {
  expect(sampled(rows, { day: 7, all: false }).length).toBeLessThan(4);
  expect(sampled(rows, { day: 7, all: false })).toEqual(sampled(rows, { day: 7, all: false }));
});

test("short tables run whole, and with --all everything does", () => {
  expect(sampled([1, 2, 3], { day: 7, all: false })).toEqual([1, 2, 3]);
  expect(sampled(rows, { day: 7, all: true })).toEqual(rows);
});

describe("rows of tables in a file", () => {
  const row = (): Task => ({ mode: "run", each: true });
  const named = (): Task => ({ mode: "run" });
  const taken = (tasks: readonly Task[]) => tasks.flatMap(({ mode }, at) => (mode === "run" ? [at] : []));
  const suite = (tasks: readonly Task[], each = false): Task => ({ mode: "run", tasks, each });

  it("take turns over a week, and tests outside of tables run every day", () => {
    const days = week.map((day) => {
      const tasks = [named(), ...Array.from({ length: 14 }, row), named()];
      takeTurns(suite(tasks), day, false);
      return taken(tasks);
    });
    expect(days.map((places) => [places.at(0), places.at(-1), places.length])).toEqual(Array.from({ length: 7 }, () => [0, 15, 4]));
    expect(days.flatMap((places) => places.slice(1, -1)).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 14 }, (_, at) => at + 1));
  });

  it("are counted through the file, so that short tables take turns too", () => {
    const suites = Array.from({ length: 14 }, () => suite([row()]));
    takeTurns(suite(suites), 7, false);
    expect(taken(suites)).toHaveLength(2);
  });

  it("that have tables of their own are taken, and the rows in them take turns", () => {
    const inner = Array.from({ length: 7 }, row);
    const outer = suite(inner, true);
    takeTurns(suite([outer]), 7, false);
    expect([outer.mode, taken(inner).length]).toEqual(["run", 1]);
  });

  it("are skipped with all tests in them", () => {
    const suites = Array.from({ length: 7 }, () => suite([named(), named()], true));
    takeTurns(suite(suites), 7, false);
    expect(suites.map(({ tasks = [] }) => taken(tasks).length).toSorted()).toEqual([0, 0, 0, 0, 0, 0, 2]);
  });

  it("are all taken with --all", () => {
    const tasks = Array.from({ length: 6 }, row);
    takeTurns(suite(tasks), 7, true);
    expect(taken(tasks)).toHaveLength(6);
  });
});
