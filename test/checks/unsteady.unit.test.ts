import { describe, expect, it } from "vitest";
import { afterSecondRun, filesToRunAgain } from "./unsteady.mjs";

const test = (fullName: string, status = "passed") => ({
  fullName,
  status,
  failureMessages: status === "failed" ? ["AssertionError: late\n    at x"] : [],
});
const file = (name: string, ...assertionResults: ReturnType<typeof test>[]) => ({
  name: `/clone/test/${name}`,
  status: assertionResults.some(({ status }) => status === "failed") ? "failed" : "passed",
  assertionResults,
});
const report = (...testResults: ReturnType<typeof file>[]) => {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (wanted: string) => all.filter(({ status }) => status === wanted).length;
  return { numPassedTests: count("passed"), numFailedTests: count("failed"), testResults };
};
const again = (...files: ReturnType<typeof file>[]) => filesToRunAgain(report(...files), (path) => path.replace("/clone/", ""));
const failing = (name: string) => file(name, test("fails", "failed"), test("passes"));

describe("a failed file", () => {
  it("is run again, unlike those that passed", () => {
    expect(again(failing("e2e/a.e2e.test.ts"), file("e2e/b.e2e.test.ts", test("passes")))).toEqual(["test/e2e/a.e2e.test.ts"]);
    expect(again(file("e2e/b.e2e.test.ts", test("passes")))).toEqual([]);
  });

  it("is not run again if many failed", () => {
    expect(again(...["a", "b", "c"].map(failing))).toHaveLength(3);
    expect(again(...["a", "b", "c", "d"].map(failing))).toEqual([]);
  });

  it("is not run again if any of the failed files is an attack", () => {
    for (const folder of ["attacks", "fuzz", "services/conversion/sandbox"]) {
      expect(again(failing(`${folder}/a.test.ts`), failing("e2e/b.e2e.test.ts"))).toEqual([]);
    }
  });

  it("counts as in its second run, and its first failures are listed", () => {
    const first = report(file("a", test("one"), test("two")), file("b", test("three"), test("four", "failed"), test("five", "skipped")));
    const second = report(file("b", test("three"), test("four"), test("five", "skipped")));
    expect(afterSecondRun(first, second)).toEqual({ passed: 4, failed: 0, unsteady: ["four: AssertionError: late"] });
  });

  it("that did not load is listed, too", () => {
    const first = report({ ...file("a"), status: "failed" });
    expect(afterSecondRun(first, report(file("a", test("one"))))).toMatchObject({ passed: 1, unsteady: ["a file that did not load"] });
  });
});
