import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formats } from "#formats/index.ts";
import { didYouMean, nearestNames } from "#kit/nearest-names.ts";

describe("nearestNames", () => {
  const ids = formats.map(({ id }) => id);
  it.each([
    ["wepb", ["webp"]],
    [".WEPB", ["webp"]],
    ["webpp", ["webp"]],
    ["docxx", ["docx"]],
    ["parqet", ["parquet"]],
    ["geojosn", ["geojson"]],
  ])("suggests for %s: %j", (written, expected) => expect(nearestNames(written, ids)).toEqual(expected));

  it("ranks two swapped letters above a wrong one", () => {
    expect(nearestNames("pgn", ["pgm", "png"])).toEqual(["png", "pgm"]);
  });

  it.each(["nonesuch", "", "..", "x".repeat(10_000), "../../etc/passwd"])("suggests nothing for %j", (written) => {
    expect(nearestNames(written, ids)).toEqual([]);
  });

  it("suggests at most three of the given names, whatever the input", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (written) => {
        const found = nearestNames(written, ids);
        expect(found.length).toBeLessThanOrEqual(3);
        for (const name of found) expect(ids).toContain(name);
      }),
    );
  });
});

it("formats suggestions as a question", () => {
  expect([[], ["webp"], ["png", "pgm"], ["a", "b", "c"]].map((names) => didYouMean(names, "."))).toEqual([
    ".",
    "; did you mean webp?",
    "; did you mean png or pgm?",
    "; did you mean a, b, or c?",
  ]);
});
