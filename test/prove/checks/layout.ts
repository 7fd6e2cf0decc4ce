/** Layout of conversions to PDF: a document with known word positions takes the same route (see corpus/README.md). */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Figures } from "#services/catalogue/domain/fidelity-rule.ts";
import type { Case } from "#test/prove/evidence.ts";
import { familiesOf, type PlacedWord, wordsOf } from "#test/prove/readers/places.ts";
import type { KnownFile } from "#test/prove/samples.ts";

/** Left edge, the middle of its line, and the tolerance within the line: in points from the page's top left corner. */
type Known = readonly [word: string, page: number, left: number, middle: number, slack: number];

type Fixture = {
  /** Key of its word positions. */
  readonly places: string;
  readonly fonts: readonly string[];
  /** A book's pages depend on the reader: positions are relative to the first word of each. */
  readonly isBook?: true;
};

const [serif, sans, bold, mono] = ["LiberationSerif", "LiberationSans", "LiberationSansBold", "LiberationMono"];
const all = [serif, sans, bold, mono];
const text: Fixture = { places: "text", fonts: all };
const slides: Fixture = { places: "slides", fonts: all };

export const layoutFixtures: Readonly<Record<string, Fixture>> = {
  ...{ docx: text, doc: text, odt: text, fodt: text, rtf: text, pptx: slides, odp: slides },
  xlsx: { places: "cells", fonts: all },
  html: { places: "html", fonts: [serif, bold, mono] },
  svg: { places: "svg", fonts: all },
  epub: { places: "epub", fonts: [serif, bold, mono], isBook: true },
};

const folder = join(import.meta.dirname, "../../corpus/layout");
/** Read on first use. */
let places: Readonly<Record<string, readonly Known[]>> | undefined;

export function layoutFileOf(format: string): string {
  return join(folder, `layout.${format}`);
}

/** For a single step to PDF from a format with a known layout; otherwise none. */
export async function layoutFiguresOf({ sample, input, result, writer, readAs }: Case): Promise<Figures> {
  const fixture = layoutFixtures[sample.format];
  // Minimal files are converted by the service, which has no engine to lend for the fixture.
  if (fixture === undefined || result.format !== "pdf" || input.path !== sample.path || sample.name === "tiny") return {};
  const path = layoutFileOf(sample.format);
  if (!existsSync(path)) throw new Error(`there is no ${path}`);
  const file: KnownFile = { path, format: sample.format, kind: sample.kind };
  return readAs(writer, "pdf", async (made) => figuresOf(fixture, await wordsOf(made.path), await familiesOf(made.path)), file);
}

export function figuresOf(fixture: Fixture, found: readonly PlacedWord[], families: readonly string[]): Figures {
  places ??= JSON.parse(readFileSync(join(folder, "places.json"), "utf8"));
  const known = places?.[fixture.places] ?? [];
  const byWord = Map.groupBy(found, ({ word }) => word);
  const onPage = known.map((place) => ({ place, word: byWord.get(place[0])?.find(({ page }) => page === place[1]) }));
  const origins = new Map<number, readonly [x: number, y: number]>();
  if (fixture.isBook === true)
    for (const { place, word } of onPage)
      if (word !== undefined && !origins.has(place[1])) origins.set(place[1], [word.left - place[2], word.middle - place[3]]);
  const shifts = onPage.map(({ place: [, page, left, middle, slack], word }) => {
    if (word === undefined) return lost;
    const [x, y] = origins.get(page) ?? [0, 0];
    return Math.max(Math.abs(word.left - x - left), Math.abs(word.middle - y - middle) - slack, 0);
  });
  const kept = fixture.fonts.filter((name) => families.includes(name));
  return {
    moved: shifts.toSorted((a, b) => a - b)[Math.floor(shifts.length * 0.95)] ?? lost,
    breaks: onPage.filter(({ word }) => word !== undefined).length / known.length,
    fonts: kept.length / fixture.fonts.length,
  };
}

/** Displacement that counts for a word missing from its page: about a page height. */
const lost = 842;
