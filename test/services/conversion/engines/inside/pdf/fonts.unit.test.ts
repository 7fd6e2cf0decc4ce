import { expect, it } from "vitest";
import { isUnreadable, plainLetters } from "#services/conversion/engines/inside/pdf/fonts.ts";

const run = (text: string) => ({
  ...{ text, x: 0, baseline: 0, width: 10, size: 10, look: { isBold: false, isItalic: false, isMono: false } },
  ...{ font: undefined, endsLine: false, mark: undefined, href: undefined },
});

it("reads the signs of symbol fonts as the characters that they show", () => {
  expect(plainLetters("\uf061 \uf0a3 \uf062", "Symbol")).toBe("α ≤ β");
  expect(plainLetters("\uf0fc", "Wingdings")).toBe("✓");
});

it("tells signs for private use of other fonts from bullets", () => {
  expect(isUnreadable([run("\uf0b7"), run("\uf0a7 first")])).toBe(false);
  expect(isUnreadable([run(plainLetters("Call \uf095 now", undefined))])).toBe(true);
});
