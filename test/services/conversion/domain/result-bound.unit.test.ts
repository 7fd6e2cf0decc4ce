import { describe, expect, it } from "vitest";
import { outputBytesOf, resultBytesOf, tooLargeFor } from "#services/conversion/domain/result-bound.ts";

const mb = 1_000_000;
const bound = { maxResultMb: 500, maxStoredMb: 1000, roomBytes: 1000 * mb };

describe("the result size limit", () => {
  it("is the plan's limit or the remaining storage, whichever is lower, or none without either", () => {
    expect(resultBytesOf(bound)).toBe(500 * mb);
    expect(resultBytesOf({ ...bound, roomBytes: 3 * mb })).toBe(3 * mb);
    expect(resultBytesOf({ maxResultMb: 0, maxStoredMb: 0, roomBytes: undefined })).toBe(Number.POSITIVE_INFINITY);
  });

  it("leaves engines room for working files and does not apply the storage limit to intermediate ones", () => {
    const full = { ...bound, roomBytes: 0 };
    expect(outputBytesOf(full, true)).toBe(64 * 2 ** 20);
    expect(outputBytesOf(full, false)).toBe(500 * mb);
    expect(outputBytesOf(bound, true)).toBe(500 * mb);
  });

  it("is reported by the limit that was reached", () => {
    expect(tooLargeFor(bound)).toMatchObject({ code: "QUOTA_EXCEEDED", details: { limitMb: 500 } });
    expect(tooLargeFor({ ...bound, roomBytes: 100 * mb })).toMatchObject({
      code: "QUOTA_EXCEEDED",
      details: { limitMb: 1000, usedMb: 900 },
    });
  });
});
