/** Fonts: the characters with glyphs, and the family name. */
import { type Case, type Evidence, shareOf } from "#test/prove/evidence.ts";
import { fontOf } from "#test/prove/readers/fonts.ts";

export async function checkFont({ sample, result }: Case): Promise<Evidence> {
  const [wanted, found] = [await fontOf(sample), await fontOf(result)];
  if (found.characters === 0) throw new Error("no glyph has a character");
  return {
    reader: found.reader,
    figures: { glyphs: shareOf(found.characters, wanted.characters), names: Number(found.family === wanted.family) },
  };
}
