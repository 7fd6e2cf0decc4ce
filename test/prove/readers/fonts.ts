/** The characters with glyphs in a font, and its family name: by FreeType, and by parsing editors' text formats. */
import { readFile } from "node:fs/promises";
import type { KnownFile } from "#test/prove/samples.ts";
import { python, textFrom } from "./program.ts";
import { entities } from "./words.ts";

export type Font = { readonly reader: string; readonly family: string; readonly characters: number };

export async function fontOf({ path, format }: KnownFile): Promise<Font> {
  if (format === "sfd") return inSplineFont(await readFile(path, "utf8"));
  if (format === "svgfont") return inSvgFont(await readFile(path, "utf8"));
  if (format === "ufo") return inUnifiedFont(path);
  const said = await textFrom("fc-scan", "--format", "%{family[0]}|%{charset}\n", path);
  const [family = "", charset = ""] = (said.split("\n")[0] ?? "").split("|");
  const ranges = charset.split(" ").filter((range) => range !== "");
  const sizes = ranges.map((range) => {
    const [first = 0, last = first] = range.split("-").map((code) => Number.parseInt(code, 16));
    return last - first + 1;
  });
  return { reader: "freetype", family, characters: sizes.reduce((sum, size) => sum + size, 0) };
}

/**
 * Each glyph has a section whose `Encoding` gives its slot, its character
 * (-1: none) and its number; only one with outlines or parts is drawn.
 */
function inSplineFont(text: string): Font {
  const glyphs = text.split(/^StartChar: /m).slice(1);
  const characters = glyphs.flatMap((glyph) => {
    const code = Number(/^Encoding: -?\d+ (-?\d+) \d+/m.exec(glyph)?.[1] ?? -1);
    const isDrawn = /^(SplineSet|Refer:)/m.test(glyph) || isBlank(code);
    return code >= 0 && isDrawn && glyph.includes("\nEndChar") ? [code] : [];
  });
  const family = /^FamilyName: (.*)$/m.exec(text)?.[1] ?? "";
  return { reader: "bytes", family: family.trim(), characters: new Set(characters).size };
}

function isBlank(code: number): boolean {
  return /^[\p{Z}\p{C}]$/u.test(String.fromCodePoint(Math.max(0, code)));
}

/** @see https://www.w3.org/TR/SVG11/fonts.html: a glyph for several characters is a ligature. */
function inSvgFont(text: string): Font {
  const characters = [...text.matchAll(/<glyph\b([^>]*)>/g)].flatMap(([, attributes = ""]) => {
    const [code, ...more] = [...entities(/\bunicode="([^"]*)"/.exec(attributes)?.[1] ?? "")].map((letter) => letter.codePointAt(0) ?? 0);
    const isDrawn = /\bd="/.test(attributes) || (code !== undefined && isBlank(code));
    return code !== undefined && more.length === 0 && isDrawn ? [code] : [];
  });
  return { reader: "xml", family: /font-family="([^"]*)"/.exec(text)?.[1] ?? "", characters: new Set(characters).size };
}

/** @see https://unifiedfontobject.org: a folder, here in a ZIP, with one file per glyph. */
const unified =
  "import sys, json, zipfile, plistlib, xml.etree.ElementTree as tree\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n" +
  "info = next(n for n in z.namelist() if n.endswith('fontinfo.plist'))\nfound = set()\n" +
  "for n in z.namelist():\n if not n.endswith('.glif'): continue\n glyph = tree.fromstring(z.read(n))\n" +
  " found.update(u.get('hex').upper() for u in glyph.findall('unicode'))\n" +
  "print(json.dumps([plistlib.loads(z.read(info)).get('familyName', ''), len(found)]))";

async function inUnifiedFont(path: string): Promise<Font> {
  const [family, characters]: [string, number] = JSON.parse(await python(unified, path));
  return { reader: "python", family, characters };
}
