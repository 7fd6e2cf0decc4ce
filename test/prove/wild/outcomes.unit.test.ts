import { expect, it } from "vitest";
import { differenceOf, type Outcome, readOutcomes, wordsIn } from "./outcomes.ts";

const row: Outcome = { file: "a.pdf", to: "md", outcome: "done", notes: ["TEXT_RECOGNISED"], words: 1000 };

it("reports another outcome, other notes or another number of words", () => {
  expect(differenceOf(row, { ...row, outcome: "INVALID_INPUT", notes: [] })).toBe("was done TEXT_RECOGNISED, is INVALID_INPUT");
  expect(differenceOf(row, { ...row, notes: [] })).toBe("was done TEXT_RECOGNISED, is done");
  expect(differenceOf(row, { ...row, words: 900 })).toBe("had 1000 words, has 900");
  expect(differenceOf(row, { ...row, words: 990 })).toBe("");
});

it("counts words in any script", () => {
  expect(wordsIn("# Überschrift 2\n\nслово 語")).toBe(4);
});

it("lists each conversion once", async () => {
  const known = (await readOutcomes()).map(({ file, to }) => `${file} ${to}`);
  expect(known.length).toBeGreaterThan(100);
  expect(new Set(known).size).toBe(known.length);
});
