/** Labels of lists and headings in a Word document that no other format has: § 1, 1.1, Article IV. */
import { attributeOf } from "./counts/markup.ts";

/** A number or letter with the punctuation that lists have everywhere. */
const simple = /^\(?%\d[.)]?$|^$/;

const told = (text: string, name: string): string => {
  const at = text.indexOf(`<w:${name} `);
  return at < 0 ? "" : (attributeOf(text.slice(at, text.indexOf(">", at)), "w:val") ?? "");
};

/** Whether a list or a heading has labels that are more than a number. */
export function hasOwnLabels(document: string, styles: string, numbering: string): boolean {
  if (numbering === "") return false;
  const levels = new Map<string, readonly string[]>();
  for (const list of numbering.split("<w:abstractNum ").slice(1)) {
    const id = attributeOf(` ${list.slice(0, 400)}`, "w:abstractNumId") ?? "";
    levels.set(id, list.split("<w:lvl ").slice(1));
  }
  const lists = new Map(
    numbering
      .split("<w:num ")
      .slice(1)
      .map((list) => [attributeOf(` ${list.slice(0, 400)}`, "w:numId") ?? "", told(list, "abstractNumId")] as const),
  );
  const levelOf = (numbered: string): string | undefined => {
    const list = lists.get(told(numbered, "numId"));
    const at = told(numbered, "ilvl");
    return list === undefined
      ? undefined
      : levels.get(list)?.find((level) => attributeOf(` ${level.slice(0, 99)}`, "w:ilvl") === (at === "" ? "0" : at));
  };
  const isOwn = (level: string | undefined): boolean =>
    level !== undefined && told(level, "numFmt") !== "bullet" && !simple.test(told(level, "lvlText"));
  const numbersOf = (text: string) => text.match(/<w:numPr>(?:<w:(?:ilvl|numId) [^<>]{0,99}>){1,2}/g) ?? [];
  if (numbersOf(document).some((numbered) => isOwn(levelOf(numbered)))) return true;
  return styles
    .split("<w:style ")
    .slice(1)
    .some((style) => {
      const used = `<w:pStyle w:val="${attributeOf(` ${style.slice(0, 400)}`, "w:styleId") ?? ""}"/>`;
      const [numbered] = numbersOf(style);
      if (numbered === undefined || !document.includes(used)) return false;
      // Readers keep no heading numbers, however simple they are.
      return /<w:outlineLvl /.test(style) || /<w:name w:val="heading /i.test(style)
        ? levelOf(numbered) !== undefined
        : isOwn(levelOf(numbered));
    });
}
