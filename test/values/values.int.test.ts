/** A sample of what `npm run prove -- --values` compares: generated values along pairs of formats, with one seed a day (test/harness/seed.ts). */
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { compareAlong, openBenches } from "./compare.ts";
import { isExcused } from "./difference.ts";
import { openForeign } from "./foreign.ts";
import { dataJudge, differencesOf } from "./judge.ts";
import { valuePairs } from "./pairs.ts";
import { lineOf } from "./run.ts";

const benches = openBenches();
const foreign = openForeign();
afterAll(async () => {
  await benches[Symbol.asyncDispose]();
  await foreign[Symbol.asyncDispose]();
});

const { seed = 0 } = fc.readConfigureGlobal();
// A map takes a second, and an office table more: `npm run prove -- --values` includes them all.
const slow = new Set(["map", "table of an office"]);
const quick = valuePairs.filter(({ sort }) => !slow.has(sort));
const drawn = fc.sample(fc.shuffledSubarray(quick, { minLength: 60, maxLength: 60 }), { seed, numRuns: 1 })[0] ?? [];

describe(`generated values (seed ${seed})`, () => {
  it("are preserved along a sample of pairs, unless a note names the change or the file is rejected", async () => {
    const silent: string[] = [];
    for (const pair of drawn) {
      const outcome = await compareAlong(pair, { benches, foreign, seed, runs: 2 });
      if (outcome.silent !== undefined) silent.push(lineOf(outcome));
    }
    expect(silent).toEqual([]);
  });
});

describe("the judge", () => {
  const was = [{ m: [["a", { n: "1" }] as const, ["b", { t: "x" }] as const] }];
  const changes = (is: Parameters<typeof differencesOf>[1], to = "yaml") =>
    differencesOf(was, is, "json", to, new Set()).map(({ change }) => change);

  it("detects changed numbers, missing values and changed types", () => {
    expect(
      changes([
        {
          m: [
            ["a", { n: "2" }],
            ["b", { t: "x" }],
          ],
        },
      ]),
    ).toEqual(["other"]);
    expect(changes([{ m: [["a", { n: "1" }]] }])).toEqual(["other"]);
    expect(
      changes([
        {
          m: [
            ["a", { t: "1" }],
            ["b", { t: "x" }],
          ],
        },
      ]),
    ).toEqual(["type"]);
    expect(changes({ columns: ["a", "b"], rows: [[{ t: "1" }, { t: "x " }]] }, "csv")).toEqual(["text"]);
    expect(changes({ columns: ["a", "b"], rows: [] }, "csv")).toEqual(["other", "nothing", "nothing"]);
    expect(changes(was)).toEqual([]);
  });

  it("accepts a note only for the change that it announces", () => {
    const [difference] = differencesOf(
      was,
      [
        {
          m: [
            ["a", { t: "1" }],
            ["b", { t: "x" }],
          ],
        },
      ],
      "json",
      "yaml",
      new Set(),
    );
    expect(
      difference && [
        isExcused(difference, new Set(["TYPES_AS_TEXT"]), dataJudge),
        isExcused(difference, new Set(["NAMES_CHANGED"]), dataJudge),
      ],
    ).toEqual([true, false]);
  });
});
