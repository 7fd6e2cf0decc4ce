/** Records made from contacts and calendar entries, as read independently, and their required content. */
import type { Difference } from "./difference.ts";
import { isList, isMap, isTable, recordsOf, type Said, type SaidTable } from "./said.ts";
import { bare } from "./shapes.ts";

/** The texts of each field. */
export type SaidRecord = ReadonlyMap<string, readonly string[]>;

export function textOf(said: Said): string {
  if (isList(said)) return said.map(textOf).join("; ");
  if (isMap(said)) return said.m.map(([name, each]) => `${name}: ${textOf(each)}`).join(", ");
  return said === null || typeof said === "boolean" ? String(said ?? "") : (Object.values(said)[0] ?? "");
}

export function recordsIn(is: Said | SaidTable, to: string): readonly SaidRecord[] {
  const tree = isTable(is) ? recordsOf(is) : bare(is, [], to);
  return (isList(tree) ? tree : [tree]).map(
    (record) =>
      new Map(
        (isMap(record) ? record.m : []).map(([name, value]): [string, readonly string[]] => [
          name,
          (isList(value) ? value : [value]).map(textOf).filter((text, _, all) => text !== "" || all.length > 1),
        ]),
      ),
  );
}

/** A field, its required texts, and alternative spellings that count as the same value. */
export type Wanted = { readonly field: string; readonly texts: readonly string[]; even?(text: string): string };

/** For a record; in a cell several texts are joined, and a page shows them that way. */
export function differencesIn(wanted: readonly Wanted[], record: SaidRecord, place: string, to: string): readonly Difference[] {
  const fields = new Set(wanted.map(({ field }) => field));
  return [
    ...wanted.flatMap(({ field, texts, even = (text) => text }): readonly Difference[] => {
      const found = (record.get(field) ?? []).map(even);
      const given = texts.map(even);
      const tell = (change: string) => [
        { change, place: `${place}.${field}`, was: JSON.stringify(texts), is: JSON.stringify(record.get(field) ?? null) },
      ];
      if (JSON.stringify(found) === JSON.stringify(given)) return [];
      if (given.every((text) => text === "") && found.length === 0) return [];
      if ([given.join("; "), even(texts.join("; "))].some((each) => JSON.stringify(found) === JSON.stringify([each])))
        return to === "html" ? [] : tell("joined");
      if (JSON.stringify(found) === JSON.stringify(given.map((each) => each.replace(/(\d)Z$/, "$1")))) return tell("zone");
      const isReplaced = JSON.stringify(found.map(visible)) === JSON.stringify(given.map(visible));
      return tell(isReplaced ? "text" : "other");
    }),
    ...[...record].flatMap(([field, texts]): readonly Difference[] =>
      fields.has(field) || texts.every((text) => text === "")
        ? []
        : [{ change: "other", place: `${place}.${field}`, was: "(missing)", is: JSON.stringify(texts) }],
    ),
  ];
}

/** Without characters that many formats cannot hold. */
const visible = (text: string) => text.replace(/[\p{Cc}\p{Cn}\ufffd\ufffe\uffff]/gu, "").trim();

/** For a page without field names; alternative spellings are not searched. */
export function missingIn(is: Said, wanted: readonly Wanted[], at: number): readonly Difference[] {
  const page = textOf(is);
  return wanted.flatMap(({ field, texts, even }) =>
    texts.flatMap((each) =>
      even !== undefined || page.includes(each) ? [] : [{ change: "text", place: `[${at}].${field}`, was: each, is: "(not in the text)" }],
    ),
  );
}
