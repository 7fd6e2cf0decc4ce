import { expect, it } from "vitest";
import { replacedFontsMessage } from "#services/conversion/domain/font-note.ts";

it("names one font family, or three and the number of others", () => {
  expect(replacedFontsMessage(["Calibri"])).toBe("A font that is not on this system was replaced: Calibri.");
  expect(replacedFontsMessage(["A", "B", "C", "D", "E"])).toBe("Fonts that are not on this system were replaced: A, B, C and 2 more.");
});

it("returns nothing without a name", () => {
  expect(replacedFontsMessage([])).toBeUndefined();
  expect(replacedFontsMessage(["", "<>\u0000"])).toBeUndefined();
});

it("sanitizes and shortens names from the file", () => {
  expect(replacedFontsMessage(['<img src="x">\u202e\n'])).toBe("A font that is not on this system was replaced: img src x.");
  expect(replacedFontsMessage(["ＭＳ 明朝"])).toContain("ＭＳ 明朝");
  expect(replacedFontsMessage(["é".repeat(500)])).toBe(`A font that is not on this system was replaced: ${"é".repeat(40)}.`);
});
