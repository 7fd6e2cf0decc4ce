/**
 * Puts Arabic ligatures, such as lam with alef, in reading order. pdf.js reverses a line
 * character by character, including the characters of a glyph, which are already in order.
 */
import type { OperatorList, OperatorNumbers } from "./drawings.ts";
import { rightToLeft } from "./reading-order.ts";

type Glyph = { readonly unicode?: string } | number | null;

const isReversed = (letter: string) => rightToLeft.test(letter);

/** Text of the page in painting order; `list` must be of the same page. */
export function inLogicalOrder<T extends { readonly str?: string }>(
  items: readonly T[],
  list: OperatorList,
  ops: OperatorNumbers,
): readonly T[] {
  const glyphs = glyphsOf(list, ops);
  if (!glyphs.some(({ length }) => length > 1)) return items;
  let next = 0;
  return items.map((item) => {
    // Other letters may be in the form that they have within a word.
    const text = [...(item.str ?? "")].map((letter) => letter.normalize("NFKC")).join("");
    const letters = [...text].filter(isReversed);
    if (letters.length === 0) return item;
    const own: string[][] = [];
    for (let left = letters.length; left > 0 && next < glyphs.length; next++) {
      const glyph = glyphs[next] ?? [];
      own.push(glyph);
      left -= glyph.length;
    }
    // Text in any other order, including mixed directions, stays as it is.
    if (own.flat().reverse().join("") !== letters.join("")) return item;
    const ordered = own.reverse().flat();
    return { ...item, str: [...text].map((letter) => (isReversed(letter) ? (ordered.shift() ?? letter) : letter)).join("") };
  });
}

/** The right-to-left characters of each glyph that has any. */
function glyphsOf({ fnArray, argsArray }: OperatorList, ops: OperatorNumbers): string[][] {
  const found: string[][] = [];
  for (const [index, operator] of fnArray.entries()) {
    if (operator !== ops.showText) continue;
    const [glyphs] = (argsArray[index] ?? []) as readonly unknown[];
    for (const glyph of Array.isArray(glyphs) ? (glyphs as readonly Glyph[]) : []) {
      const text = typeof glyph === "object" ? (glyph?.unicode ?? "") : "";
      if (rightToLeft.test(text)) found.push([...text.normalize("NFKC")].filter(isReversed));
    }
  }
  return found;
}
