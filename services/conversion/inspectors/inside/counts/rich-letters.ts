/** Counts letters and digits in rich text, as those of a result. @see Rich Text Format Specification 1.9.1 */
import { isLetter, lettersIn } from "./plain-letters.ts";

/** Groups without text of the document. */
const unseen = new Set(
  (
    "fonttbl colortbl stylesheet info pict sp objdata listtable listoverridetable rsidtbl generator bkmkstart bkmkend themedata " +
    "colorschememapping datastore latentstyles xmlnstbl pgdsctbl userprops revtbl mmathPr"
  ).split(" "),
);
const token = /\\(?:([a-zA-Z]+)(-?\d+)? ?|'([\da-fA-F]{2})|([^a-zA-Z']))|([{}])|([^\\{}]+)/g;

export function lettersOfRichText(rtf: string): number {
  const outer: { readonly isUnseen: boolean; readonly substitutes: number }[] = [];
  let [letters, isUnseen, substitutes, toSkip] = [0, false, 1, 0];
  for (const [, word, number, hex, , brace, text] of rtf.matchAll(token)) {
    if (brace === "{") outer.push({ isUnseen, substitutes });
    else if (brace === "}") {
      ({ isUnseen, substitutes } = outer.pop() ?? { isUnseen: false, substitutes: 1 });
      toSkip = 0;
    } else if (isUnseen) continue;
    else if (word === "u") {
      letters += isLetter(Number(number) & 0xffff) ? 1 : 0;
      toSkip = substitutes;
    } else if (word === "uc") substitutes = Number(number ?? 1);
    else if (word !== undefined) isUnseen = unseen.has(word);
    else if (toSkip > 0 && text === undefined) toSkip -= 1;
    // Letters of several bytes count several times.
    else if (hex !== undefined) letters += Number.parseInt(hex, 16) >= 0x80 ? 1 : 0;
    // Instructions of other fields may hold what is shown, such as characters above others.
    else if (text?.trimStart().startsWith("HYPERLINK ")) isUnseen = true;
    else if (text !== undefined) {
      letters += lettersIn(text.slice(toSkip));
      toSkip = Math.max(0, toSkip - text.length);
    }
  }
  return letters;
}
