import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { committedProof, readProof } from "#test/prove/store.ts";
import { figuresOf, layoutFileOf, layoutFixtures } from "./checks/layout.ts";
import type { PlacedWord } from "./readers/places.ts";

const folder = join(import.meta.dirname, "../corpus/layout");
const places: Readonly<Record<string, readonly [string, number, number, number, number][]>> = JSON.parse(
  readFileSync(join(folder, "places.json"), "utf8"),
);
const fixture = layoutFixtures["docx"] ?? { places: "", fonts: [] };
const inPlace = (name: string): PlacedWord[] => (places[name] ?? []).map(([word, page, left, middle]) => ({ word, page, left, middle }));

test("an intact layout has no shift, every word on its page and every font", () => {
  expect(figuresOf(fixture, inPlace("text"), fixture.fonts)).toEqual({ moved: 0, breaks: 1, fonts: 1 });
});

test("a word may be anywhere within its line, but not beyond", () => {
  const slack = Math.min(...(places["text"] ?? []).map(([, , , , each]) => each));
  const lower = (by: number) => inPlace("text").map((word) => ({ ...word, middle: word.middle + by }));
  expect(figuresOf(fixture, lower(slack), fixture.fonts).moved).toBeCloseTo(0);
  expect(figuresOf(fixture, lower(slack + 20), fixture.fonts).moved).toBeGreaterThan(10);
});

test("detects another font size, a lost page break and a missing font", () => {
  const wider = inPlace("text").map((word) => ({ ...word, left: 72 + (word.left - 72) * 1.05 }));
  expect(figuresOf(fixture, wider, fixture.fonts).moved).toBeGreaterThan(10);
  const early = inPlace("text").map((word) => (word.page === 3 ? { ...word, page: 2 } : word));
  expect(figuresOf(fixture, early, fixture.fonts).breaks).toBeLessThan(0.99);
  expect(figuresOf(fixture, inPlace("text"), fixture.fonts.slice(1)).fonts).toBe(0.75);
});

test("word positions in a book are relative to the first word of the page", () => {
  const book = layoutFixtures["epub"] ?? fixture;
  const moved = inPlace("epub").map((word) => ({ ...word, left: word.left + 40, middle: word.middle + 50 }));
  expect(figuresOf(book, moved, book.fonts)).toEqual({ moved: expect.closeTo(0), breaks: 1, fonts: 1 });
});

test("every step to PDF from a format with a layout fixture has figures that match its rating", async () => {
  const { rows } = await readProof(committedProof);
  for (const format of Object.keys(layoutFixtures)) {
    expect([format, existsSync(layoutFileOf(format))]).toEqual([format, true]);
    const steps = rows.filter(({ from, to, path, word }) => from === format && to === "pdf" && !path.includes(" ") && word !== "failed");
    expect([format, steps.length > 0]).toEqual([format, true]);
    for (const { path, word, figures } of steps) {
      const { moved = Infinity, breaks = 0, fonts = 0 } = figures;
      const isRight = moved <= 3 && breaks >= 0.99 && fonts >= 1;
      expect([format, path, word]).toEqual([format, path, isRight ? "high" : "reduced"]);
    }
  }
});
