import { expect, it } from "vitest";
import { everydayFirst } from "./everyday.ts";

it("puts everyday conversions first and loses none", () => {
  const pairs = [
    { from: "xbm", to: "pcx" },
    { from: "docx", to: "pdf" },
    { from: "docx", to: "pcx" },
    { from: "mp4", to: "mp3" },
  ];
  expect(everydayFirst(pairs)).toEqual([
    [pairs[1], pairs[3]],
    [pairs[0], pairs[2]],
  ]);
});
