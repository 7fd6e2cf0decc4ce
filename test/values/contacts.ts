/** Contacts in three versions with values that programs tend to change. */
import fc from "fast-check";
import { mailEngine } from "#services/conversion/engines/documents/mail.ts";
import type { Difference, Judge } from "./difference.ts";
import { differencesIn, missingIn, recordsIn, textOf, type Wanted } from "./records.ts";
import { isList, isMap, isTable, type Said, type SaidTable } from "./said.ts";

const texts = [
  ...'a|A B|Müller|日本語|👩‍👩‍👧‍👦|שלום|e\u0301|a,b|a;b|a; b|a:b|"a"|\'|a=b|=41|=C3=BC|a=|007|1.10|TRUE|NO|2024-01-02|=1+1|<b>&amp;|]]>|^n|_x0041_'.split(
    "|",
  ),
  "a\nb",
  "a\n\nb",
  "a\n b",
  "a  b",
  "a\u00a0b",
  "a\u2028b",
  "\u200fa",
  "__proto__",
  "x".repeat(300),
  "ü".repeat(80),
];
const escapes = ["\\", "a\\b", "C:\\new", "a\\,b", "a\\;b", "\\n"];
const text = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...texts) },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Za-z0-9 ,;:'"()=&-]{0,11}[A-Za-z0-9]$/) },
);
export const contactTexts = text;
const types = fc.constantFrom("", "", "home", "work", "cell", "home,voice", "work,pref");

type Part = readonly string[];
const said = (name: string, kinds: string, parts: readonly Part[]): Said => ({
  m: [
    ["name", { t: name }],
    ["types", { t: kinds }],
    ["value", parts.map((part) => part.map((t) => ({ t })))],
  ],
});
const days = ["1985-04-12", "19850412", "0001-01-01", "1900-02-28", "9999-12-31", "--0412"];

function entriesWith(value: fc.Arbitrary<string>, isOld: boolean): fc.Arbitrary<readonly Said[]> {
  const plain = (name: string) => value.map((each) => said(name, "", [[each]]));
  const typed = (name: string, of: fc.Arbitrary<string>) => fc.tuple(of, types).map(([each, kinds]) => said(name, kinds, [[each]]));
  const part = isOld ? value.map((each) => [each]) : fc.array(value, { minLength: 1, maxLength: 2 });
  const parts = (length: number) =>
    fc.array(fc.oneof({ weight: 2, arbitrary: part }, fc.constant([""])), { minLength: length, maxLength: length });
  const optional = (each: fc.Arbitrary<Said>, maxLength = 1) => fc.array(each, { maxLength });
  return fc
    .tuple(
      plain("FN").map((each) => [each]),
      parts(5).map((each) => [said("N", "", each)]),
      optional(plain("NICKNAME")),
      optional(
        fc.array(value, { minLength: 1, maxLength: 2 }).map((each) =>
          said(
            "ORG",
            "",
            each.map((one) => [one]),
          ),
        ),
      ),
      optional(plain("TITLE")),
      optional(typed("EMAIL", fc.oneof(fc.constantFrom("a@example.org", "ü+x@example.org", '"a;b"@example.org'), value)), 2),
      optional(typed("TEL", fc.oneof(fc.constantFrom("+49 30 1", "007", "0049", "1;ext=2", "1234567890123456789"), value)), 3),
      optional(
        parts(7).map((each) => said("ADR", "", each)),
        2,
      ),
      optional(fc.constantFrom(...days).map((day) => said("BDAY", "", [[day]]))),
      optional(plain("NOTE"), 2),
      optional(fc.array(value, { minLength: 1, maxLength: 2 }).map((each) => said("CATEGORIES", "", [each]))),
      optional(fc.constantFrom("ROLE", "X-SKYPE", "X-NAME", "UID").chain(plain)),
    )
    .map((all) => all.flat());
}

/** In version 2.1 a backslash is literal except before a semicolon, and a comma is always literal, which the reader does not respect. */
export const contacts = (version: string): fc.Arbitrary<Said> => {
  const value =
    version === "2.1"
      ? text.filter((each) => !each.includes(","))
      : fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(...escapes) });
  return fc
    .array(entriesWith(value, version === "2.1"), { minLength: 1, maxLength: 2 })
    .map((cards) => ({ m: [["version", { t: version }] as const, ["cards", cards] as const] }));
};

export type Card = readonly Entry[];
type Entry = { readonly name: string; readonly types: string; readonly parts: readonly Part[] };

export const cardsIn = (said: Said): readonly Card[] => (isList(said) ? said.map(entriesOf) : []);

function entriesOf(card: Said): readonly Entry[] {
  return (isList(card) ? card : []).map((entry) => {
    const { name = null, types: kinds = null, value = [] } = Object.fromEntries(isMap(entry) ? entry.m : []);
    return {
      name: textOf(name),
      types: textOf(kinds),
      parts: (isList(value) ? value : []).map((part) => (isList(part) ? part : []).map(textOf)),
    };
  });
}

const nameParts = ["familyName", "givenName", "additionalNames", "namePrefix", "nameSuffix"];
const labels: Readonly<Record<string, string>> = {
  FN: "name",
  BDAY: "birthday",
  EMAIL: "email",
  TEL: "phone",
  ADR: "address",
  ORG: "organization",
};
const undashed = (each: string) => each.replace(/[-:]/g, "");

/** Texts of one field, which includes all properties of that name. */
function wantedOf(entries: Card): readonly Wanted[] {
  const names = [...new Set(entries.map(({ name }) => name))];
  return names.flatMap((name): readonly Wanted[] => {
    const own = entries.filter((each) => each.name === name);
    const field = labels[name] ?? name.toLowerCase();
    if (name === "N") return nameParts.map((label, at) => ({ field: label, texts: [(own[0]?.parts[at] ?? []).join("; ")] }));
    const joiner = name === "ADR" ? ", " : "; ";
    const texts = own.flatMap(({ parts }) =>
      name === "CATEGORIES"
        ? parts.flat()
        : [
            parts
              .map((part) => part.join(name === "ADR" ? ", " : ","))
              .filter((each, _, all) => all.length === 1 || each !== "")
              .join(joiner),
          ],
    );
    const wanted: Wanted = name === "BDAY" ? { field, texts, even: undashed } : { field, texts };
    const kinds = own.map((each) => each.types.replaceAll(",", ", "));
    return [wanted, ...(kinds.some((each) => each !== "") ? [{ field: `${field}Types`, texts: kinds }] : [])];
  });
}

function madeRecords(was: Said, is: Said | SaidTable, to: string): readonly Difference[] {
  const cards = cardsIn(was);
  if (to === "txt") return cards.flatMap((card, at) => missingIn(is as Said, wantedOf(card), at));
  const records = recordsIn(is, to);
  if (records.length !== cards.length)
    return [{ change: "other", place: "contacts", was: String(cards.length), is: String(records.length) }];
  return cards.flatMap((card, at) => differencesIn(wantedOf(card), records[at] ?? new Map(), `[${at}]`, to));
}

export const contactJudge: Judge = {
  engine: mailEngine,
  differencesOf: (was, is, _from, to) => (isTable(was) ? [] : madeRecords(was, is, to)),
  excuses: { joined: ["STRUCTURE_FLATTENED"], text: ["CHARACTERS_REPLACED"], zone: ["METADATA_DROPPED"] },
};
