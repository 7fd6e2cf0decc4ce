/** Every message in every language: present, complete, with the same placeholders, and short enough for its place. */
import { readFile } from "node:fs/promises";
import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";
import { describe, expect, it, test } from "vitest";
import { deliveryFailures } from "#contract/delivery-json.ts";
import { errorTable } from "#contract/errors.ts";
import { type Language, languages } from "#gateway/web/languages.ts";
import { noteTable } from "#services/conversion/domain/notes.ts";

type Texts = Readonly<Record<string, string>>;

async function textsIn(language: string): Promise<Texts> {
  return JSON.parse(await readFile(new URL(`../../../gateway/web/messages/${language}.json`, import.meta.url), "utf8"));
}

const english = await textsIn("en");
const others = (Object.keys(languages) as Language[]).filter((code) => code !== "en");

/** Every element of a message, including those inside plurals and tags. */
function elementsOf(elements: readonly MessageFormatElement[]): MessageFormatElement[] {
  return elements.flatMap((element) => {
    const inner =
      element.type === TYPE.plural || element.type === TYPE.select
        ? Object.values(element.options).flatMap(({ value }) => value)
        : element.type === TYPE.tag
          ? element.children
          : [];
    return [element, ...elementsOf(inner)];
  });
}

const read = (text: string): MessageFormatElement[] => elementsOf(parse(text, { captureLocation: false }));

/** Names of placeholders and tags; `{n, number}` may replace a plural that a language does not need. */
function namesOf(text: string): string[] {
  const named = read(text).flatMap((element) =>
    element.type === TYPE.literal || element.type === TYPE.pound ? [] : [element.type === TYPE.tag ? `<${element.value}>` : element.value],
  );
  return [...new Set(named)].toSorted();
}

/** The visible text of a message, with its longest plurals. */
function shownOf(elements: readonly MessageFormatElement[]): string {
  return elements
    .map((element) => {
      if (element.type === TYPE.literal) return element.value;
      if (element.type === TYPE.tag) return shownOf(element.children);
      if (element.type !== TYPE.plural && element.type !== TYPE.select) return "00";
      const ways = Object.values(element.options).map(({ value }) => shownOf(value));
      return ways.reduce((longest, way) => (way.length > longest.length ? way : longest), "");
    })
    .join("");
}

/** Width in Latin letters: East Asian characters are twice as wide. */
function widthOf(text: string): number {
  return [...shownOf(parse(text))].reduce(
    (sum, letter) => sum + (/[\u3000-\u9fff\uff00-\uffef]/.test(letter) ? 2 : /\p{Mn}/u.test(letter) ? 0 : 1),
    0,
  );
}

/** Maximum width of a message in its place, by the first part of its key; all others are sentences, which wrap. */
const places: Readonly<Record<string, (english: number) => number>> = {
  nav: () => 15,
  state: () => 18,
  do: (length) => Math.max(22, length * 1.9),
  task: (length) => Math.max(20, length * 1.8),
  kind: (length) => Math.max(24, length * 1.5),
  label: (length) => Math.max(20, length * 1.9),
  option: (length) => Math.max(22, length * 1.9),
  value: (length) => Math.max(22, length * 2),
  // Searched, not shown.
  words: () => Number.POSITIVE_INFINITY,
  title: (length) => Math.max(26, length * 1.8),
};
const sentence = (length: number): number => Math.max(36, length * 1.75);

describe.each(others)("%s", async (language) => {
  const texts = await textsIn(language);

  it("has exactly the keys of the English messages", () => {
    expect(Object.keys(english).filter((key) => !(key in texts))).toEqual([]);
    expect(Object.keys(texts).filter((key) => !(key in english))).toEqual([]);
  });

  it("has the placeholders of the English messages", () => {
    const names = (source: Texts) => Object.fromEntries(Object.keys(english).map((key) => [key, namesOf(source[key] ?? "")]));
    expect(names(texts)).toEqual(names(english));
  });

  it("has the plural forms of the language", () => {
    const wanted = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    const wrong = Object.entries(texts).filter(([, text]) =>
      read(text).some((element) => {
        if (element.type !== TYPE.plural || element.pluralType !== "cardinal") return false;
        return Object.keys(element.options).toSorted().join() !== wanted.join();
      }),
    );
    expect(wrong).toEqual([]);
  });

  it("fits the available space", () => {
    const long = Object.entries(texts).flatMap(([key, text]) => {
      const allowed = (places[key.split(".")[0] ?? ""] ?? sentence)(widthOf(english[key] ?? ""));
      return widthOf(text) > allowed ? [`${key}: ${text} (${widthOf(text)} of ${Math.floor(allowed)})`] : [];
    });
    expect(long).toEqual([]);
  });

  it("leaves no sentence untranslated", () => {
    const same = Object.entries(texts).filter(([key, text]) => text === english[key] && /\w+ \w+ \w+/.test(text.replaceAll(/\{.*\}/g, "")));
    expect(same).toEqual([]);
  });
});

test("every error message is for an existing code, and every note has a message", () => {
  const own = new Set([
    ..."OFFLINE UNREADABLE_ANSWER PAGE_FAILED FILE_UNREADABLE PREVIEW_FAILED".split(" "),
    ...Object.keys(deliveryFailures),
  ]);
  const codes = (part: string): string[] =>
    Object.keys(english).flatMap((key) => (key.startsWith(`${part}.`) ? [key.slice(part.length + 1)] : []));
  expect([...codes("error"), ...codes("advice")].filter((code) => !(code in errorTable) && !own.has(code))).toEqual([]);
  expect(codes("note").toSorted()).toEqual(Object.keys(noteTable).toSorted());
});
