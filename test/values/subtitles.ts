/** Subtitles with times and texts that programs tend to change. */
import fc from "fast-check";
import { subtitleEngine } from "#services/conversion/engines/media/subtitle.ts";
import type { Difference, Judge } from "./difference.ts";
import { fieldsOf, type Said } from "./said.ts";

const texts = [
  ..."a|Hello there|- a\n- b|1|42\n7|a\n2|NOTE x|WEBVTT|a & b|&amp;|&lt;i&gt;|a < b|<b|2 > 1|-->|a --> b|{x}|{y:i}a|a\\Nb|\\h".split("|"),
  ...'[00:01.00]a|00:00:01,000|, a|a, b,, c|Dialogue: x|{1}{2}|]]>|#|♪ la ♪|שלום\nעולם|👩‍👩‍👧‍👦|e\u0301|100%|\\|"a"|\''.split("|"),
  "a|b",
  "a\u00a0b",
  "  a",
  "a  b",
  "00:00:01.000 --> 00:00:02.000",
  "00:00:01,000 --> 00:00:02,000",
  "a\u2028b",
  "\u200ba",
];
const text = fc
  .oneof(fc.constantFrom(...texts), fc.string({ unit: "grapheme", minLength: 1, maxLength: 9 }))
  .filter((each) => each.trim() !== "");
const looks = fc.constantFrom("", "", "", "b", "i", "u", "bi");
const time = fc.oneof(fc.integer({ min: 0, max: 9000 }), fc.constantFrom(0, 999, 3_599_999, 35_999_995, 36_000_000, 359_999_990));

/** Shorter than a picture of most films, nothing can be read. */
const shortestMs = 50;

/** In sequence; some overlap. */
export const subtitles: fc.Arbitrary<Said> = fc
  .tuple(
    fc.constantFrom(0, 0, 0, 36_000_000),
    fc.array(fc.tuple(time, fc.integer({ min: shortestMs, max: 6000 }), text, looks), { minLength: 1, maxLength: 4 }),
  )
  .map(([from, cues]) =>
    cues
      .toSorted(([one], [other]) => one - other)
      .map(([start, length, said, marks]) => ({
        m: [
          ["start", { t: `${from + start}` }],
          ["end", { t: `${from + start + length}` }],
          ["text", { t: said }],
          ["looks", { t: marks }],
        ] as const,
      })),
  );

/** Words that no format interprets. */
export function holdsPlainText(said: unknown): boolean {
  const cues = Array.isArray(said) ? said.map((cue: Said) => fieldsOf(cue)) : [];
  return cues.some(({ text = "" }) => /^[\p{L} ]*\p{L}$/u.test(text) && !/^[A-Z]/.test(text));
}

const unitsMs: Readonly<Record<string, number>> = { ass: 10, ssa: 10, lrc: 10, sub: 42 };

function differencesOf(was: Said, is: Said, from: string, to: string): readonly Difference[] {
  const [given, made] = [was, is].map((each) => (Array.isArray(each) ? each.map(fieldsOf) : []));
  const found: Difference[] = [];
  const tell = (change: string, place: string, one: unknown, other: unknown) =>
    found.push({ change, place, was: JSON.stringify(one), is: JSON.stringify(other) });
  const cues = (given ?? []).filter((cue) => cue["text"]?.trim() !== "");
  if (cues.length !== made?.length) return [{ change: "other", place: "subtitles", was: String(cues.length), is: String(made?.length) }];
  for (const [at, cue] of cues.entries()) {
    const result = made[at] ?? {};
    for (const name of ["start", "end"] as const) {
      const apart = Math.abs(Number(cue[name]) - Number(result[name]));
      if (apart === 0) continue;
      // An end is equally close if the next text starts before it.
      const isNear = apart <= (unitsMs[to] ?? 0);
      tell(isNear ? (name === "end" ? "rounded end" : "rounded") : name, `[${at}]`, cue[name], result[name]);
    }
    const change = changeOf(cue["text"] ?? "", result["text"] ?? "");
    if (change !== undefined) tell(change, `[${at}]`, cue["text"], result["text"]);
    if (cue["looks"] !== result["looks"] && !(from === "sbv" || from === "lrc")) tell("looks", `[${at}]`, cue["looks"], result["looks"]);
  }
  return found;
}

/** Trailing blanks and empty lines end a text in most formats. */
const evened = (text: string) => text.trim().replace(/\n{2,}/g, "\n");

function changeOf(was: string, is: string): string | undefined {
  if (evened(was) === evened(is)) return undefined;
  return evened(was).replaceAll("\n", " ") === evened(is) ? "line" : "text";
}

export const subtitleJudge: Judge = {
  engine: subtitleEngine,
  differencesOf,
  excuses: {
    rounded: ["NUMBERS_ROUNDED"],
    "rounded end": ["NUMBERS_ROUNDED", "STRUCTURE_FLATTENED"],
    end: ["STRUCTURE_FLATTENED"],
    line: ["STRUCTURE_FLATTENED"],
    looks: ["STYLING_DROPPED"],
    text: ["CHARACTERS_REPLACED"],
  },
};
