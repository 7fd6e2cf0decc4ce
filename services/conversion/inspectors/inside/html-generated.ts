/** Finds text that style sheets put before or after elements. @see https://www.w3.org/TR/css-content-3/#content-property */
import { attributeIn, tagsIn } from "#services/conversion/engines/inside/html-tags.ts";
import { rulesIn } from "./html-hiding-rules.ts";

const end = /::?(?:before|after)$/i;

/** What a selector of such text says of the element itself. */
const elementIn = (selector: string): string | undefined =>
  end.test(selector)
    ? selector
        .replace(end, "")
        .split(/[\s>+~]/)
        .at(-1)
    : undefined;

/** Whether the sheets add words or numbers to elements of the page. Signs, such as bullets and icons, say little. */
export function addsText(html: string, sheets: readonly string[]): boolean {
  const selectors = sheets
    .flatMap(rulesIn)
    .filter(({ selector, isInside, text }) => !isInside && /:(?:before|after)/i.test(selector) && hasWords(text))
    .flatMap(({ selector }) => selector.split(",").map((each) => elementIn(each.trim())));
  const wanted = new Set(selectors.filter((each) => each !== undefined));
  return (
    wanted.size > 0 &&
    tagsIn(html).some(({ isEnd, name, at, end: to }) => !isEnd && wanted.values().some((each) => fits(each, name, html.slice(at, to))))
  );
}

function hasWords(declarations: string): boolean {
  const content = /(?:^|;)\s*content\s*:([^;]*)/i.exec(declarations)?.[1] ?? "";
  if (/\b(?:attr|counters?)\(/i.test(content)) return true;
  const shown = content.replace(/\\[0-9a-f]{1,6}\s?/gi, "").match(/"[^"]*"|'[^']*'/g) ?? [];
  return shown.some((text) => /[\p{L}\p{N}]/u.test(text));
}

function fits(selector: string, name: string, tag: string): boolean {
  const [plain = ""] = selector.split(/[[:]/);
  const element = /^[a-z][\w-]*/i.exec(plain)?.[0].toLowerCase() ?? name;
  const classes = (attributeIn(tag, "class") ?? "").split(/\s+/);
  const id = attributeIn(tag, "id");
  return (
    element === name &&
    (plain.match(/[.#][\w-]+/g) ?? []).every((each) => (each.startsWith("#") ? id === each.slice(1) : classes.includes(each.slice(1))))
  );
}
