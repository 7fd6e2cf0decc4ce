/** What style sheets hide, as browsers apply them: by one class or id. */
import { attributeIn } from "#services/conversion/engines/inside/html-tags.ts";

const simple = /^([a-z][a-z0-9]{0,15})?([.#])([\w-]{1,80})$/i;
const names = /[.#]([\w-]{1,80})/g;
const onScreens = /^(?:all|screen|)$/i;

export type Hiding = (name: string, id: string | undefined, classes: string | undefined) => boolean;

/** Undefined if the sheets hide nothing this way. A class that another rule shows again may be shown. */
export function hidingRules(sheets: readonly string[]): Hiding | undefined {
  const [hidden, shown] = [new Set<string>(), new Set<string>()];
  for (const { selector, isInside, text } of sheets.flatMap(rulesIn)) {
    for (const isHiding of hidings(text)) {
      if (!isHiding) for (const [, name = ""] of selector.matchAll(names)) shown.add(name);
      else if (!isInside) for (const each of selector.split(",")) hidden.add(each.trim());
    }
  }
  const kept = new Set(
    [...hidden].flatMap((selector) => {
      const [, tag = "", sign = "", name = ""] = simple.exec(selector) ?? [];
      return name === "" || shown.has(name) ? [] : [`${tag.toLowerCase()}${sign}${name}`];
    }),
  );
  if (kept.size === 0) return undefined;
  const has = (name: string, key: string): boolean => kept.has(key) || kept.has(name + key);
  return (name, id, classes) =>
    (id !== undefined && has(name, `#${id}`)) || (classes ?? "").split(/\s+/).some((each) => each !== "" && has(name, `.${each}`));
}

/** The style sheets that are in a page. */
export function sheetsIn(html: string): string[] {
  return html.split(/(?=<style[\s>])/i).flatMap((part) => {
    const [start, end] = [part.indexOf(">") + 1, part.toLowerCase().indexOf("</style")];
    return !/^<style/i.test(part) || end < start || !onScreens.test(attributeIn(part.slice(0, start), "media")?.trim() ?? "")
      ? []
      : [part.slice(start, end)];
  });
}

/** `isInside`: only under a condition, such as of the width. */
export type Rule = { readonly selector: string; readonly isInside: boolean; readonly text: string };

export function rulesIn(sheet: string): Rule[] {
  const [open, rules] = [[] as string[], [] as Rule[]];
  const parts = withoutComments(sheet).split(/([{}])/);
  for (let at = 1; at < parts.length; at += 2) {
    const [text = "", mark] = parts.slice(at - 1, at + 1);
    if (mark === "{") open.push(text.slice(text.lastIndexOf(";") + 1).trim());
    else {
      const selector = open.pop() ?? "";
      rules.push({ selector, isInside: open.length > 0, text });
    }
  }
  return rules;
}

/** Whether declarations hide what they are about, or show it. */
function hidings(text: string): boolean[] {
  const display = /(?:^|;)\s*display\s*:\s*([\w-]+)/i.exec(text)?.[1]?.toLowerCase();
  const visibility = /(?:^|;)\s*visibility\s*:\s*([\w-]+)/i.exec(text)?.[1]?.toLowerCase();
  if (display === "none" || visibility === "hidden" || visibility === "collapse") return [true];
  return display === undefined && visibility === undefined ? [] : [false];
}

function withoutComments(sheet: string): string {
  return sheet
    .split("/*")
    .map((part, place) => (place === 0 ? part : part.slice(part.includes("*/") ? part.indexOf("*/") + 2 : part.length)))
    .join("");
}
