import { describe, expect, it } from "vitest";
import { verdictOf } from "./audit.mjs";

const url = "https://github.com/advisories/GHSA-0000";
const found = JSON.stringify({
  auditReportVersion: 2,
  vulnerabilities: {
    a: { via: [{ url, name: "a", severity: "low", title: "Says too much" }] },
    // The package that uses it is listed for the same reason.
    b: { via: ["a"] },
  },
  metadata: { dependencies: { total: 9 } },
});

describe("npm advisories", () => {
  it("fail the check, each listed once, unless they are excused", () => {
    expect(verdictOf(found, {})).toEqual({
      isGood: false,
      lines: [`low: a: Says too much (${url})`, "9 packages looked up, 1 advisories."],
    });
    expect(verdictOf(found, { [url]: "not reachable" })).toEqual({ isGood: true, lines: ["9 packages looked up, 0 advisories."] });
  });

  it.each([
    ["no network", ""],
    ["a registry without advisories", '{"message": "405 Method Not Allowed", "statusCode": 405}'],
    ["a truncated answer", '{"auditReportVersion": 2, "vulnerab'],
    ["an empty answer", '{"auditReportVersion": 2, "vulnerabilities": {}}'],
  ])("are skipped with %s", (_name, report) => {
    expect(verdictOf(report, {})).toEqual({ isGood: true, lines: [expect.stringContaining("SKIPPED")] });
  });
});
