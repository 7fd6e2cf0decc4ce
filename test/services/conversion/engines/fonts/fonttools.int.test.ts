/** Fonts in other containers keep everything in them; fonts with fewer characters look the same, also in combination. */
import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { copyFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { expect, test } from "vitest";
import { fonttoolsEngine } from "#services/conversion/engines/fonts/fonttools.ts";
import { openBench, testEngine } from "#test/contract/engine.ts";

const run = promisify(execFile);
const [original = ""] = globSync("/usr/share/fonts/*/dejavu/DejaVuSans.ttf");
const [small = ""] = globSync("/usr/share/fonts/*/liberation*/LiberationMono-Regular.ttf");
const samples = join(import.meta.dirname, "font-samples.py");
const python = async (...args: readonly string[]) =>
  (await run("/usr/bin/python3", ["-I", samples, ...args], { maxBuffer: 2 ** 24 })).stdout;
const factsOf = async (path: string) => JSON.parse(await python("read", path));
const about = async (path: string) => (await run("fc-scan", ["--format", "%{family[0]}|%{charset}\n", path])).stdout.trim();
const drawn = async (fontfile: string, text: string) =>
  await sharp({ text: { text, fontfile, font: "DejaVu Sans 40", dpi: 96 } })
    .raw()
    .toBuffer();

test("keeps the requested characters, with ligatures, kerning and the name", async () => {
  await using bench = await openBench(fonttoolsEngine);
  const whole = (await stat(original)).size;
  const { path, notes } = await bench.convert(original, "ttf", "ttf", { text: "ffi AV", unicodes: "U+00C4,41-43" });
  expect([...notes]).toEqual([]);
  expect(await about(path)).toBe("DejaVu Sans|20 41-43 56 66 69 c4");
  expect((await stat(path)).size).toBeLessThan(whole / 10);
  expect(await drawn(path, "ffi AV")).toEqual(await drawn(original, "ffi AV"));

  const kept = await bench.convert(original, "ttf", "ttf");
  expect([(await about(kept.path)).length, (await stat(kept.path)).size <= whole]).toEqual([(await about(original)).length, true]);
  await expect(bench.convert(original, "ttf", "ttf", { unicodes: "U+1F6D8" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
});

testEngine(fonttoolsEngine, {
  async sample(format, folder) {
    const path = join(folder, `sample.${format}`);
    if (existsSync(path)) return path;
    if (format === "ttf") await copyFile(small, path);
    else await python("write", "cubic", path);
    return path;
  },
  async check({ to }, _reading, path) {
    const { kind } = await factsOf(path);
    if (to === "ttf" || to === "otf") expect(kind).toBe(to === "otf" ? "OTTO" : "\0\x01\0\0");
  },
});

// FontForge dropped variations, colours and tables it did not know, and names in other languages; it also renumbered the glyphs.
test.each([
  ["hinted-variable-colour", "ttf", "woff2"],
  ["hinted-variable-colour", "woff2", "ttf"],
  ["cubic", "otf", "woff2"],
  ["cubic", "woff", "otf"],
  ["described", "woff", "woff2"],
])("keeps everything in a font (%s) in another container: %s to %s", async (kind, from, to) => {
  await using bench = await openBench(fonttoolsEngine);
  const source = join(bench.folder, `source.${from}`);
  await python("write", kind, source);
  const { path, notes } = await bench.convert(source, from, to);
  expect([await factsOf(path), [...notes]]).toEqual([await factsOf(source), []]);
});

test.each([
  ["hinted-variable-colour", "ttf", "otf", "hinting and variations (wght)"],
  ["cubic", "otf", "ttf", "hinting"],
  ["cubic", "woff2", "ttf", "hinting"],
])("converts the outlines of a font (%s) from %s to %s, losing only %s", async (kind, from, to, lost) => {
  await using bench = await openBench(fonttoolsEngine);
  const source = join(bench.folder, `source.${from}`);
  await python("write", kind, source);
  const { path, notes } = await bench.convert(source, from, to);
  expect([...notes]).toEqual([["STRUCTURE_DROPPED", `The outlines were converted, without ${lost}.`]]);
  const ofOutlines = new Set(["glyf", "loca", "CFF", "prep", "gvar", "fvar"]);
  const comparable = ({ tables, kind: _, axes: __, names, ...rest }: Awaited<ReturnType<typeof factsOf>>) => ({
    ...rest,
    tables: tables.filter((tag: string) => !ofOutlines.has(tag)),
    names: names.filter((name: string) => name !== "Weight"),
  });
  expect(comparable(await factsOf(path))).toEqual(comparable(await factsOf(source)));
});

test.each([
  ["quoted", "ttf", "otf", "with a copyright beyond ASCII"],
  ["extracted", "ttf", "otf", "without names, as in a PDF"],
  ["cubic-composed", "otf", "ttf", "with a letter composed of two others"],
  ["undrawn", "ttf", "ttf", "with bitmaps alone"],
  ["unnamed-first", "ttf", "otf", "whose first glyph has a name"],
])("converts a font (%s, from %s to %s) %s", async (kind, from, to) => {
  await using bench = await openBench(fonttoolsEngine);
  const source = join(bench.folder, `source.${from}`);
  await python("write", kind, source);
  const { path, notes } = await bench.convert(source, from, to);
  expect([...notes.keys()].filter((code) => code !== "SOURCE_KEPT" && code !== "STRUCTURE_DROPPED")).toEqual([]);
  if (kind !== "undrawn") {
    const [before, after] = [await factsOf(source), await factsOf(path)];
    const glyphs = Object.keys(before.outlines).with(0, ".notdef");
    expect([after.names, Object.keys(after.outlines)]).toEqual([before.names, glyphs]);
  }
});

test("does not call outlines of a later version damaged", async () => {
  await using bench = await openBench(fonttoolsEngine);
  const source = join(bench.folder, "source.ttf");
  await python("write", "later", source);
  await expect(bench.convert(source, "ttf", "woff2")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
});

test("notes what a rewritten font cannot keep", async () => {
  await using bench = await openBench(fonttoolsEngine);
  for (const [kind, from, to, code] of [
    ["described", "woff", "ttf", "METADATA_DROPPED"],
    ["signed", "ttf", "woff", "SIGNATURES_VOID"],
  ] as const) {
    const source = join(bench.folder, `source.${from}`);
    await python("write", kind, source);
    expect([...(await bench.convert(source, from, to)).notes.keys()]).toEqual([code]);
  }
});

test("converts the first font of a collection, and names the others", async () => {
  await using bench = await openBench(fonttoolsEngine);
  const [source, single] = [join(bench.folder, "source.ttc"), join(bench.folder, "single.ttf")];
  await python("write", "several", source);
  await python("write", "plain", single);
  for (const to of ["ttf", "woff2"]) {
    const { path, notes } = await bench.convert(source, "ttf", to);
    expect(await factsOf(path)).toEqual(await factsOf(single));
    expect([...notes]).toEqual([["STRUCTURE_DROPPED", "Of the fonts in the collection, only the first was converted, not: Bilby."]]);
  }
});

test("converts the first font of a collection whose second one is damaged", async () => {
  await using bench = await openBench(fonttoolsEngine);
  const source = join(bench.folder, "source.ttc");
  await python("write", "several damaged", source);
  const { notes } = await bench.convert(source, "ttf", "woff2");
  expect(notes.get("STRUCTURE_DROPPED")).toContain("not: without a name.");
});

test("reads the names of only a few fonts in a collection, since each takes the time of the whole list", async () => {
  await using bench = await openBench(fonttoolsEngine);
  const source = join(bench.folder, "source.ttc");
  await python("write", "several crowd", source);
  const { notes } = await bench.convert(source, "ttf", "woff2");
  expect(notes.get("STRUCTURE_DROPPED")).toMatch(/not: (?:Bilby, ){11}Bilby and 8 more\.$/);
});
