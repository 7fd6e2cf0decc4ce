/** Labels of lists and headings in a Word document that no other format has: § 1, 1.1, Article IV. */
import { attributeOf } from "./counts/markup.ts";

/** A number or letter with the punctuation that lists have everywhere. */
const simple = /^\(?%\d[.)]?$|^$/;

const told = (text: string, name: string): string => {
  const at = text.indexOf(`<w:${name} `);
  return at < 0 ? "" : (attributeOf(text.slice(at, text.indexOf(">", at)), "w:val") ?? "");
};

const counting = new Set(["decimal", "lowerLetter", "upperLetter", "lowerRoman", "upperRoman", "none"]);
const numbered = /<w:numPr>(?:<w:(?:ilvl|numId) [^<>]{0,99}>){1,2}/g;

/** The definition of the level that a `numPr` names. */
function levelsOf(numbering: string): (numbered: string) => string | undefined {
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
  return (given) => {
    const list = lists.get(told(given, "numId"));
    const at = told(given, "ilvl");
    return list === undefined
      ? undefined
      : levels.get(list)?.find((level) => attributeOf(` ${level.slice(0, 99)}`, "w:ilvl") === (at === "" ? "0" : at));
  };
}

/** The document without list items that show no label, which Pandoc would number. */
export function withoutHiddenLabels(document: string, numbering: string): string {
  if (numbering === "") return document;
  const levelOf = levelsOf(numbering);
  const known = new Map<string, boolean>();
  const isHidden = (given: string): boolean => {
    const level = levelOf(given);
    return level !== undefined && /<w:lvlText(?: w:val="")? ?\/>/.test(level) && !level.includes("<w:lvlPicBulletId");
  };
  return document.replace(/<w:numPr>(?:<w:(?:ilvl|numId) [^<>]{0,99}>){1,2}<\/w:numPr>/g, (given) => {
    const hides = known.get(given) ?? isHidden(given);
    known.set(given, hides);
    return hides ? "" : given;
  });
}

/** Whether a list or a heading has labels that are more than a number. */
export function hasOwnLabels(document: string, styles: string, numbering: string): boolean {
  if (numbering === "") return false;
  const levelOf = levelsOf(numbering);
  const isOwn = (level: string | undefined): boolean => {
    if (level === undefined) return false;
    const format = told(level, "numFmt");
    return format !== "bullet" && (!simple.test(told(level, "lvlText")) || !counting.has(format === "" ? "decimal" : format));
  };
  if ([...new Set(document.match(numbered))].some((given) => isOwn(levelOf(given)))) return true;
  return styles
    .split("<w:style ")
    .slice(1)
    .some((style) => {
      const used = `<w:pStyle w:val="${attributeOf(` ${style.slice(0, 400)}`, "w:styleId") ?? ""}"/>`;
      const [given] = style.match(numbered) ?? [];
      if (given === undefined || !document.includes(used)) return false;
      // Readers keep no heading numbers, however simple they are.
      return /<w:outlineLvl /.test(style) || /<w:name w:val="heading /i.test(style) ? levelOf(given) !== undefined : isOwn(levelOf(given));
    });
}
