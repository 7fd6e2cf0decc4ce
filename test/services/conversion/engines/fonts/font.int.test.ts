import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { fontEngine } from "#services/conversion/engines/fonts/font.ts";
import { fonttoolsEngine } from "#services/conversion/engines/fonts/fonttools.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";

const run = promisify(execFile);
const [original = ""] = globSync("/usr/share/fonts/*/liberation*/LiberationMono-Regular.ttf");

/** Name, style and number of characters, according to FreeType. */
async function fontOf(path: string): Promise<{ readonly family: string; readonly style: string; readonly characters: number }> {
  const { stdout } = await run("fc-scan", ["--format", "%{family[0]}|%{style[0]}|%{charset}\n", path]);
  const [family = "", style = "", charset = ""] = (stdout.split("\n")[0] ?? "").split("|");
  const characters = charset.split(" ").map((range) => range.split("-").map((code) => Number.parseInt(code, 16)));
  return { family, style, characters: characters.reduce((sum, [first = 0, last = first]) => sum + last - first + 1, 0) };
}

/** Number of glyphs in a font that FreeType does not read, from the format's own markers. */
async function glyphsOf(path: string, format: string): Promise<number | undefined> {
  const count = async (pattern: RegExp) => [...(await readFile(path, "latin1")).matchAll(pattern)].length;
  switch (format) {
    case "svgfont":
      return await count(/<glyph /g);
    case "sfd":
      return await count(/^StartChar: /gm);
    case "t42":
      return await count(/^\s*\/\S+ \d+ def/gm);
    case "ufo":
      return [...(await run("unzip", ["-Z1", path], { maxBuffer: 2 ** 24 })).stdout.matchAll(/\.glif$/gm)].length;
    default:
      return undefined;
  }
}

const bench = useBench(fontEngine);
const containers = useBench(fonttoolsEngine);

testEngine(fontEngine, {
  async sample(format, folder) {
    const path = join(folder, `sample.${format}`);
    const writer = ["otf", "woff", "woff2"].includes(format) ? containers : bench;
    if (!existsSync(path)) await copyFile(format === "ttf" ? original : (await writer.convert(original, "ttf", format)).path, path);
    return path;
  },
  async check({ from, to }, _reading, path) {
    const inside = await glyphsOf(path, to);
    if (inside !== undefined) return expect(inside).toBeGreaterThan(600);
    const [found, wanted] = [await fontOf(path), await fontOf(original)];
    expect(found.family).toBe(wanted.family);
    const isTypeOne = /^pf[ab]$/.test(from) || /^pf[ab]$/.test(to);
    // Editors' formats use Book where the name says Regular.
    const isSource = !["ttf", "otf", "woff", "woff2"].includes(from);
    if (!isTypeOne && !isSource) expect(found.style).toBe(wanted.style);
    // Type 1 names its glyphs, and some names have no character.
    expect(found.characters).toBeGreaterThanOrEqual(isTypeOne ? 200 : isSource ? wanted.characters * 0.97 : wanted.characters);
  },
});

describe("engine fontforge, in detail", () => {
  it("refuses truncated fonts", async () => {
    const cut = join(bench.folder, "cut.ttf");
    await writeFile(cut, (await readFile(original)).subarray(0, 30_000));
    await expect(bench.convert(cut, "ttf", "pfb")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it.each([
    ["undrawn", "ttf", "The font has no outlines to convert."],
    ["cubic-second", "otf", "The font has variable outlines (CFF2), which this conversion cannot read."],
  ])("does not call an intact font damaged: %s", async (kind, from, message) => {
    const path = join(bench.folder, `${kind}.${from}`);
    await run("/usr/bin/python3", ["-I", join(import.meta.dirname, "font-samples.py"), "write", kind, path]);
    await expect(bench.convert(path, from, "pfb")).rejects.toMatchObject({ code: "CONVERSION_FAILED", message });
  });

  it("converts fonts that must not be embedded", async () => {
    const closed = join(bench.folder, "closed.ttf");
    await run("/usr/bin/python3", ["-I", join(import.meta.dirname, "font-samples.py"), "write", "hinted", closed]);
    for (const to of ["pfb", "sfd"]) await bench.convert(closed, "ttf", to);
  });

  // FontForge says nothing of what it leaves out.
  it.each([
    ["colour", "pfb", "Left out: the features kern, salt; the colours of glyphs.", "Left out: names in other languages."],
    ["variable", "sfd", "Left out: the variations wght.", undefined],
    ["hinted", "ufo", "Left out: hinting.", "Left out: names in other languages."],
    ["hinted", "dfont", undefined, undefined],
  ])("names what %s.ttf loses as %s", async (kind, to, structure, about) => {
    const path = join(bench.folder, `${kind}.ttf`);
    await run("/usr/bin/python3", ["-I", join(import.meta.dirname, "font-samples.py"), "write", kind, path]);
    const { notes } = await bench.convert(path, "ttf", to);
    expect([notes.get("STRUCTURE_DROPPED"), notes.get("METADATA_DROPPED")]).toEqual([structure, about]);
  });
});
