import fc from "fast-check";
import { expect, it } from "vitest";
import { rangeOf } from "#gateway/http/range.ts";

it.each([
  [undefined, undefined],
  ["bytes=0-0", { start: 0, end: 0 }],
  ["bytes=0-", { start: 0, end: 99 }],
  ["bytes=10-1000", { start: 10, end: 99 }],
  ["bytes=-10", { start: 90, end: 99 }],
  ["bytes=-1000", { start: 0, end: 99 }],
  ["Bytes=5-6", { start: 5, end: 6 }],
  ["bytes=100-", "unsatisfiable"],
  ["bytes=90-18446744073709551615", { start: 90, end: 99 }],
  ["bytes=-18446744073709551615", { start: 0, end: 99 }],
  ["bytes=18446744073709551615-", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=6-5", undefined],
  ["bytes=-", undefined],
  ["bytes=0-1,3-4", undefined],
  ["items=0-1", undefined],
  ["bytes=a-b", undefined],
])("reads Range: %s of 100 bytes", (header, range) => {
  expect(rangeOf(header, 100)).toEqual(range);
});

it("treats any range of an empty representation as unsatisfiable", () => {
  expect(rangeOf("bytes=0-", 0)).toBe("unsatisfiable");
  expect(rangeOf("bytes=-5", 0)).toBe("unsatisfiable");
});

it("never exceeds the representation", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^bytes=\d{0,4}-\d{0,4}$/), fc.integer({ min: 0, max: 5000 }), (header, size) => {
      const range = rangeOf(header, size);
      if (typeof range !== "object") return;
      expect(range.start).toBeGreaterThanOrEqual(0);
      expect(range.end).toBeGreaterThanOrEqual(range.start);
      expect(range.end).toBeLessThan(size);
    }),
  );
});
