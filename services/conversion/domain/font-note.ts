const namedFamilies = 3;
const longestName = 40;
/**
 * Everything except letters, marks, digits and plain separators. The names come from the user's file and appear in answers and on pages.
 */
const odd = /[^\p{L}\p{M}\p{N} ._&'+-]+/gu;

/** The text of `FONT_SUBSTITUTED` for replaced font families of the file, a few of them by name; undefined if there are none. */
export function replacedFontsMessage(families: readonly string[]): string | undefined {
  const plain = families.map((name) => [...name.replaceAll(odd, " ").replaceAll(/ +/g, " ").trim()].slice(0, longestName).join(""));
  const names = [...new Set(plain)].filter((name) => name !== "");
  if (names.length === 0) return undefined;
  const more = names.length - namedFamilies;
  const rest = more > 0 ? ` and ${more} more` : "";
  const verb = names.length === 1 ? "A font that is not on this system was" : "Fonts that are not on this system were";
  return `${verb} replaced: ${names.slice(0, namedFamilies).join(", ")}${rest}.`;
}
