import { expect, test } from "vitest";
import { lacksPixels } from "#services/conversion/engines/pictures/libraw.ts";

test("tells camera files without their pixels from well-compressed ones", () => {
  // A NEF and a DNG from test sets, reduced to their tags.
  expect(lacksPixels("nef", 6188, 3039 * 2014)).toBe(true);
  expect(lacksPixels("dng", 13_662, 3474 * 2314)).toBe(true);
  // Lossy DNG.
  expect(lacksPixels("dng", 1_500_000, 12_000_000)).toBe(false);
});

test("tells a cut-off file of Panasonic, of which LibRaw develops the rest as black", () => {
  expect(lacksPixels("rw2", 14_000_000, 12_000_000)).toBe(false);
  expect(lacksPixels("rw2", 9_000_000, 12_000_000)).toBe(true);
});
