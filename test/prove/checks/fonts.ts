/** Fonts: the characters that have glyphs, and the family's name, as FreeType sees them. */
import { type Case, type Evidence, shareOf } from "#test/prove/evidence.ts";
import { textFrom } from "#test/prove/readers/program.ts";

type Font = { readonly family: string; readonly characters: number };

async function fontOf(path: string): Promise<Font> {
  const said = await textFrom("fc-scan", "--format", "%{family[0]}|%{charset}\n", path);
  const [family = "", charset = ""] = (said.split("\n")[0] ?? "").split("|");
  const ranges = charset.split(" ").filter((range) => range !== "");
  const sizes = ranges.map((range) => {
    const [first = 0, last = first] = range.split("-").map((code) => Number.parseInt(code, 16));
    return last - first + 1;
  });
  return { family, characters: sizes.reduce((sum, size) => sum + size, 0) };
}

export async function checkFont({ sample, result }: Case): Promise<Evidence> {
  const [wanted, found] = [await fontOf(sample.path), await fontOf(result.path)];
  if (found.characters === 0) throw new Error("no glyph has a character");
  return {
    reader: "freetype",
    figures: { glyphs: shareOf(found.characters, wanted.characters), names: Number(found.family === wanted.family) },
  };
}
