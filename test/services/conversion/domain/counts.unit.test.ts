import { describe, expect, it } from "vitest";
import { type Counts, isCounted, lackOf, mostCountedBytes } from "#services/conversion/domain/counts.ts";
import type { NoteCode } from "#services/conversion/domain/notes.ts";

const lack = (from: string, to: string, source: Counts, result: Counts, ...notes: NoteCode[]) =>
  lackOf(from, to, { source, result }, new Set(notes));
const missing = (...asked: Parameters<typeof lack>) => {
  const found = lack(...asked);
  return found !== undefined && "missing" in found ? found.missing : undefined;
};

describe("lackOf", () => {
  it.each<[string, string, Counts, Counts, string]>([
    ["xlsx", "ods", { rows: 3, cells: 9 }, { rows: 3, cells: 8 }, "8 of 9 filled cells"],
    ["xlsx", "csv", { rows: 40 }, { rows: 39 }, "39 of 40 rows"],
    ["ods", "xlsx", { sheets: 2 }, { sheets: 1 }, "1 of 2 sheets"],
    ["vcf", "csv", { rows: 2 }, { rows: 1 }, "1 of 2 rows"],
    ["pdf", "pdfa", { pages: 5 }, { pages: 4 }, "4 of 5 pages"],
    ["pptx", "pdf", { pages: 5 }, { pages: 4 }, "4 of 5 pages"],
    ["tiff", "png", { pages: 2 }, { pages: 1 }, "1 of 2 pages"],
    ["gif", "jpg", { pages: 12 }, { pages: 1 }, "1 of 12 pages"],
    ["docx", "md", { letters: 1000 }, { letters: 979 }, "979 of 1000 letters"],
    ["fb2", "docx", { letters: 50 }, { letters: 28 }, "28 of 50 letters"],
    ["srt", "vtt", { entries: 3 }, { entries: 2 }, "2 of 3 subtitles"],
    ["stl", "glb", { faces: 1000 }, { faces: 970 }, "970 of 1000 triangles"],
    ["ttf", "woff", { glyphs: 322 }, { glyphs: 321 }, "321 of 322 glyphs"],
  ])("reports %s to %s, %o reduced to %o, as %s", (from, to, source, result, told) => {
    expect(isCounted(from, to)).toBe(true);
    expect(missing(from, to, source, result)).toBe(told);
    expect(missing(from, to, source, source)).toBeUndefined();
  });

  it.each<[string, string, Counts, Counts, NoteCode]>([
    ["xlsx", "csv", { rows: 40 }, { rows: 39 }, "SHEETS_LEFT_OUT"],
    ["tiff", "png", { pages: 2 }, { pages: 1 }, "PAGES_LEFT_OUT"],
    ["stl", "stl", { faces: 1000 }, { faces: 300 }, "FACES_MERGED"],
    ["gif", "png", { pages: 12 }, { pages: 1 }, "ANIMATION_REDUCED"],
    ["docx", "md", { letters: 1000 }, { letters: 800 }, "INPUT_DAMAGED"],
  ])("accepts %s to %s, %o reduced to %o, only with %s", (from, to, source, result, note) => {
    expect(missing(from, to, source, result, note)).toBeUndefined();
    expect(missing(from, to, source, result, "METADATA_DROPPED")).toBeDefined();
  });

  it("returns nothing if the result has more, such as header names", () => {
    expect(lack("docx", "md", { letters: 1000 }, { letters: 1001 })).toBeUndefined();
    expect(missing("csv", "json", { rows: 3 }, { rows: 4 })).toBeUndefined();
  });

  it("notes a small amount of missing text", () => {
    const message = "20 of 1000 letters are missing in the result.";
    expect(lack("docx", "md", { letters: 1000 }, { letters: 980 })).toEqual({ note: "TEXT_LEFT_OUT", message });
    expect(lack("docx", "md", { letters: 1000 }, { letters: 980 }, "INPUT_DAMAGED")).toBeUndefined();
    expect(lack("stl", "glb", { faces: 1000 }, { faces: 980 })).toBeUndefined();
    const both = lack("epub", "md", { letters: 1000, media: 2 }, { letters: 980 });
    expect(both).toEqual({ note: "TEXT_LEFT_OUT", message: `${message} 2 of 2 files of sound or film are missing in the result.` });
  });

  it("returns nothing if a side was not counted or no rule applies", () => {
    expect(missing("xlsx", "ods", {}, { cells: 1 })).toBeUndefined();
    expect(missing("xlsx", "ods", { cells: 9 }, {})).toBeUndefined();
    expect(isCounted("png", "webp")).toBe(false);
    expect(isCounted("pdf", "pdfa", { pictures: "small" })).toBe(true);
    expect(isCounted("pdf", "pdfa", { pages: "1-2" })).toBe(false);
    expect(isCounted("docx", "md", { changes: "reject" })).toBe(false);
    expect(isCounted("pdf", "pdf", { rotate: "90" })).toBe(true);
    expect([isCounted("pdf", "pdf", { remove: "2" }), isCounted("pdf", "pdf", { nUp: "4" })]).toEqual([false, false]);
    expect([isCounted("ttf", "ttf", { text: "A" }), isCounted("otf", "otf", { unicodes: "U+0041" })]).toEqual([false, false]);
    expect(isCounted("mp4", "webm")).toBe(false);
    expect(isCounted("gif", "webp")).toBe(false);
    expect(mostCountedBytes("csv", "xlsx")).toBeGreaterThan(mostCountedBytes("csv", "json"));
    expect(missing("png", "webp", { pages: 2 }, { pages: 1 })).toBeUndefined();
  });
});
