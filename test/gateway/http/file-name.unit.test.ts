import { describe, expect, it } from "vitest";
import { boundedFileName } from "#gateway/http/file-name.ts";

describe("an uploaded file's name", () => {
  it.each(["", "a.png", `${"a".repeat(251)}.png`, `${"é".repeat(125)}.webp`])("is kept up to 255 bytes: %j", (name) => {
    expect(boundedFileName(name)).toBe(name);
  });

  it.each([
    [`${"a".repeat(252)}.png`, `${"a".repeat(251)}.png`],
    [`${" ".repeat(60_000)}.tar.gz`, `${" ".repeat(252)}.gz`],
    [`${"é".repeat(200)}.webp`, `${"é".repeat(125)}.webp`],
    ["a".repeat(300), "a".repeat(255)],
    [`${"😀".repeat(100)}x.jpg`, `${"😀".repeat(62)}.jpg`],
    [`a.${"b".repeat(300)}`, `a.${"b".repeat(253)}`],
  ])("is truncated before its extension", (name, cut) => {
    expect(boundedFileName(name)).toBe(cut);
    expect(Buffer.byteLength(boundedFileName(name))).toBeLessThanOrEqual(255);
  });
});
