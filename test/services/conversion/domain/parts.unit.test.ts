import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chosenParts, noteLeftOut, partFileName, partOptions } from "#services/conversion/domain/parts.ts";

describe("selected parts", () => {
  it.each([
    ["all", 3, [1, 2, 3]],
    ["2", 3, [2]],
    ["3,1-2,2", 3, [1, 2, 3]],
  ])("%s of %i", (text, total, wanted) => expect(chosenParts("page", text, total)).toEqual(wanted));

  it.each(["0", "4", "2-4", "3-2"])("%s of 3 is rejected", (text) => {
    expect(() => chosenParts("sheet", text, 3)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", details: expect.objectContaining({ option: "sheets" }) }),
    );
  });

  it.each(["all", "1-501", "1-300,301-600"])("%s of 1000 are too many", (text) => {
    expect(() => chosenParts("page", text, 1000)).toThrow(expect.objectContaining({ code: "INPUT_TOO_COMPLEX" }));
  });

  it("match the declared option pattern", () => {
    const several = partOptions("page").find(({ name }) => name === "pages");
    const pattern = new RegExp(several?.type === "string" ? several.pattern : "(?!)");
    for (const text of ["all", "3", "1-3,7"]) expect(text).toMatch(pattern);
    for (const text of ["", "All", "1-", "-3", "1,,2", "all,3"]) expect(text).not.toMatch(pattern);
  });
});

describe("the file name of a part", () => {
  it("sorts by number and contains the label and the extension", () => {
    expect(partFileName("page", 3, 120, "", "png")).toBe("page-003.png");
    expect(partFileName("sheet", 2, 2, "Umsatz 2026", "csv")).toBe("sheet-2-Umsatz 2026.csv");
  });

  it("is safe for any label", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 80 }), (label) => {
        const name = partFileName("sheet", 1, 1, label, "csv");
        expect(name).not.toMatch(/[/\\:*?"<>|\p{Cc}]|\.\.\//u);
        expect(name.isWellFormed() && name.startsWith("sheet-1") && name.endsWith(".csv") && name.length < 80).toBe(true);
      }),
    );
  });
});

it("notes what was left out if there was more than one part", () => {
  const notes: (string | undefined)[][] = [];
  const task = { note: (...note: (string | undefined)[]) => void notes.push(note) };
  noteLeftOut(task, "track", 1, 1);
  noteLeftOut(task, "track", 2, 3);
  expect(notes).toEqual([["TRACKS_LEFT_OUT", "Only track 2 of 3 was converted."]]);
});
