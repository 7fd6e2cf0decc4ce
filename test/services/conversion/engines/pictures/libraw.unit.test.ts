import { expect, test } from "vitest";
import { lacksPixels } from "#services/conversion/engines/pictures/libraw.ts";

test("tells camera files without their pixels from well-compressed ones", () => {
  // A NEF and a DNG from test sets, 3039 × 2014 and 3474 × 2314, reduced to their tags.
  expect(lacksPixels(6188, 18_363_510)).toBe(true);
  expect(lacksPixels(13_662, 24_118_380)).toBe(true);
  // 12 megapixels as lossy DNG of 1.5 MB, 8 and 16 bits per channel.
  expect(lacksPixels(1_500_000, 36_000_000)).toBe(false);
  expect(lacksPixels(1_500_000, 72_000_000)).toBe(false);
});
