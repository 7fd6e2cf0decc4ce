/** Contact tables as exported by programs, which become cards. */
import fc from "fast-check";
import { type Card, cardsIn, contactJudge, contactTexts } from "./contacts.ts";
import type { Difference, Judge } from "./difference.ts";
import { textOf } from "./records.ts";
import { isTable, type Said, type SaidTable } from "./said.ts";
import { tableOf } from "./shapes.ts";

/** The property of each column, and the part or type that its name implies. */
const columns: Readonly<Record<string, readonly [property: string, part?: number | string]>> = {
  ...{ Name: ["FN"], "First name": ["N", 1], "Last name": ["N", 0], Nickname: ["NICKNAME"], Company: ["ORG"], "Job title": ["TITLE"] },
  ...{ "E-mail": ["EMAIL"], "E-mail 2": ["EMAIL"], Phone: ["TEL"], Mobile: ["TEL", "cell"], "Home phone": ["TEL", "home"] },
  ...{ Address: ["ADR", 2], Birthday: ["BDAY"], Website: ["URL"], Notes: ["NOTE"], "Shoe size": ["none"] },
};
const names = Object.keys(columns);

const cell = fc.oneof(
  { weight: 4, arbitrary: contactTexts },
  { weight: 1, arbitrary: fc.constantFrom(" a", "a ", "a::b", "+49 30 1;ext=2", "tel:+1", "a\u0001b", "a\tb", "C:\\new", "\\") },
  { weight: 1, arbitrary: fc.constant("") },
);
/** With a name in each row, so that none is left out. */
export const cardTables: fc.Arbitrary<SaidTable> = fc
  .tuple(fc.subarray(names.slice(1), { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 3 }))
  .chain(([some, height]) =>
    fc.tuple(
      fc.constant(["Name", ...some]),
      fc.array(fc.tuple(contactTexts, fc.array(cell, { minLength: some.length, maxLength: some.length })), {
        minLength: height,
        maxLength: height,
      }),
    ),
  )
  .map(([heads, rows]) => ({ columns: heads, rows: rows.map(([first, more]) => [first, ...more].map((t): Said => ({ t }))) }));

function textsIn(card: Card, property: string, part: number | string | undefined): readonly string[] {
  const own = card.filter(({ name, types }) => name === property && (typeof part !== "string" || types === part));
  return own.map(({ parts }) => (typeof part === "number" ? (parts[part] ?? []) : parts.flat()).join(","));
}

/** One cell may hold several mail addresses or numbers. */
const several = new Set(["EMAIL", "TEL"]);
const isThere = (text: string, property: string, found: readonly string[]) =>
  found.includes(text) ||
  (several.has(property) && text.split(/; |\n/).every((each) => each.trim() === "" || found.includes(each.trim()))) ||
  (property === "BDAY" && found.some((each) => each.replaceAll("-", "") === text.replaceAll("-", "")));

function differencesOf(was: Said | SaidTable, is: Said | SaidTable): readonly Difference[] {
  const table = tableOf(was);
  const cards = isTable(is) ? [] : cardsIn(is);
  if (cards.length !== table.rows.length)
    return [{ change: "entry", place: "rows", was: String(table.rows.length), is: String(cards.length) }];
  return table.rows.flatMap((row, at) =>
    row.flatMap((value, column): readonly Difference[] => {
      const [property, part] = columns[table.columns[column] ?? ""] ?? ["none"];
      const text = textOf(value);
      if (text === "") return [];
      const found = textsIn(cards[at] ?? [], property, part);
      const place = `[${at}].${table.columns[column]}`;
      const tell = (change: string) => [{ change, place, was: JSON.stringify(text), is: JSON.stringify(found) }];
      if (property === "none") return tell("column");
      if (isThere(text, property, found)) return [];
      return tell(found.some((each) => visible(each) === visible(text)) ? "text" : "other");
    }),
  );
}

const visible = (text: string) => text.replace(/[\p{Cc}\ufffd]/gu, "");

export const cardTableJudge: Judge = {
  engine: contactJudge.engine,
  differencesOf,
  excuses: { entry: ["ENTRIES_LEFT_OUT"], column: ["METADATA_DROPPED"], text: ["CHARACTERS_REPLACED"] },
};
