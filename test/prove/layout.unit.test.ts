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

test("a document that came out as it should has no shift, all words on their pages and all fonts", () => {
  expect(figuresOf(fixture, inPlace("text"), fixture.fonts)).toEqual({ moved: 0, breaks: 1, fonts: 1 });
});

test("a word may stand anywhere within its line, and not beyond", () => {
  const slack = Math.min(...(places["text"] ?? []).map(([, , , , each]) => each));
  const lower = (by: number) => inPlace("text").map((word) => ({ ...word, middle: word.middle + by }));
  expect(figuresOf(fixture, lower(slack), fixture.fonts).moved).toBeCloseTo(0);
  expect(figuresOf(fixture, lower(slack + 20), fixture.fonts).moved).toBeGreaterThan(10);
});

test("another font size moves words, a lost page break moves them to another page, another font is missed", () => {
  const wider = inPlace("text").map((word) => ({ ...word, left: 72 + (word.left - 72) * 1.05 }));
  expect(figuresOf(fixture, wider, fixture.fonts).moved).toBeGreaterThan(10);
  const early = inPlace("text").map((word) => (word.page === 3 ? { ...word, page: 2 } : word));
  expect(figuresOf(fixture, early, fixture.fonts).breaks).toBeLessThan(0.99);
  expect(figuresOf(fixture, inPlace("text"), fixture.fonts.slice(1)).fonts).toBe(0.75);
});

test("places of a book count from the first word of its pages", () => {
  const book = layoutFixtures["epub"] ?? fixture;
  const moved = inPlace("epub").map((word) => ({ ...word, left: word.left + 40, middle: word.middle + 50 }));
  expect(figuresOf(book, moved, book.fonts)).toEqual({ moved: expect.closeTo(0), breaks: 1, fonts: 1 });
});

test("every step to PDF from a format with such a document has its figures, and its word follows from them", async () => {
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
