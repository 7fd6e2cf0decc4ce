/** Finds text that style sheets put before or after elements. @see https://www.w3.org/TR/css-content-3/#content-property */
import { attributes, tagsIn } from "#services/conversion/engines/inside/html-tags.ts";
import { rulesIn } from "./html-hiding-rules.ts";

const end = /::?(?:before|after)$/i;

/** Only for some time, such as under a pointer. */
const inState = /:(?:hover|focus|active|target|checked|not|is|where|has)\b/i;

/** What a selector of such text says of the element itself. */
const elementIn = (selector: string): string | undefined =>
  end.test(selector) && !inState.test(selector)
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
  const wanted = Map.groupBy(new Set(selectors.filter((each) => each !== undefined).map(needsOf)), ({ key }) => key);
  return (
    wanted.size > 0 &&
    tagsIn(html).some(({ isEnd, name, at, end: to }) => {
      const has = isEnd ? new Set<string>() : factsOf(name, html.slice(at, to));
      return has.values().some((key) =>
        wanted
          .get(key)
          ?.slice(0, mostAlike)
          .some(({ needs }) => needs.every((need) => has.has(need))),
      );
    })
  );
}

function hasWords(declarations: string): boolean {
  const content = /(?:^|;)\s*content\s*:([^;]*)/i.exec(declarations)?.[1] ?? "";
  if (/\b(?:attr|counters?)\(/i.test(content)) return true;
  const shown = content.replace(/\\[0-9a-f]{1,6}\s?/gi, "").match(/"[^"]*"|'[^']*'/g) ?? [];
  return shown.some((text) => /[\p{L}\p{N}]/u.test(text));
}

/** How many selectors that begin alike are looked at. */
const mostAlike = 20;

/** What an element needs: "*", its name, `.class`, `#id` and `[attribute`. */
function needsOf(selector: string): { readonly key: string; readonly needs: readonly string[] } {
  const [plain = ""] = selector.split(/[[:]/);
  const needs = [
    ...(plain.match(/[.#][\w-]+/g) ?? []),
    ...(selector.match(/\[[a-z:-]+/gi) ?? []).map((each) => each.toLowerCase()),
    /^[^.#]+/.exec(plain)?.[0].toLowerCase() ?? "*",
  ].slice(0, 10);
  return { key: needs[0] ?? "*", needs };
}

function factsOf(element: string, tag: string): ReadonlySet<string> {
  const facts = new Set(["*", element]);
  for (const { name, value } of attributes(tag)) {
    facts.add(`[${name}`);
    if (name === "id") facts.add(`#${value}`);
    if (name === "class") for (const each of value.split(/\s+/)) facts.add(`.${each}`);
  }
  return facts;
}
