/** Suggestions for an unknown name. */
import damerauLevenshtein from "damerau-levenshtein";

/** In shorter names, one typo leaves nothing to compare. */
const MIN_NAME_CHARACTERS = 3;
const MAX_NAME_CHARACTERS = 32;
const MAX_SUGGESTIONS = 3;

/**
 * The names closest to the input, ignoring case and a leading dot: one typo away (a character missing, added, replaced, or two swapped),
 * two in names of five characters or more. Among equals, names with the same letters come first, then the given order applies.
 */
export function nearestNames(written: string, names: Iterable<string>): readonly string[] {
  const word = written.trim().toLowerCase().replace(/^\./, "");
  if (word.length < MIN_NAME_CHARACTERS || word.length > MAX_NAME_CHARACTERS) return [];
  const allowed = word.length < 5 ? 1 : 2;
  const ranked = [...new Set(names)].flatMap((name) => {
    const lower = name.toLowerCase();
    if (Math.abs(lower.length - word.length) > allowed) return [];
    const { steps } = damerauLevenshtein(word, lower);
    return steps > allowed ? [] : [{ name, steps, isOther: Number(lettersOf(lower) !== lettersOf(word)) }];
  });
  const least = Math.min(...ranked.map(({ steps }) => steps));
  return ranked
    .filter(({ steps }) => steps === least)
    .sort((a, b) => a.isOther - b.isOther)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

/** The ids of the rows with a similar id or extension. */
export function nearestIds(
  written: string,
  rows: Iterable<{ readonly id: string; readonly extensions: readonly string[] }>,
): readonly string[] {
  const idOf = new Map<string, string>();
  for (const { id, extensions } of rows) for (const name of [id, ...extensions]) if (!idOf.has(name)) idOf.set(name, id);
  return [...new Set(nearestNames(written, idOf.keys()).flatMap((name) => idOf.get(name) ?? []))];
}

/** The end of a message: `; did you mean png or pgm?`, or `otherwise` if there is nothing to suggest. */
export function didYouMean(names: readonly string[], otherwise: string): string {
  return names.length === 0 ? otherwise : `; did you mean ${new Intl.ListFormat("en", { type: "disjunction" }).format(names)}?`;
}

/** For an error's details. */
export function suggestionsOf(names: readonly string[]): { suggestions?: string[] } {
  return names.length === 0 ? {} : { suggestions: [...names] };
}

function lettersOf(name: string): string {
  return [...name].sort().join("");
}
