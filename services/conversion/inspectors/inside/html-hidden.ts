/** Leaves out what no browser shows: elements with the attribute `hidden`, not displayed by their own or the page's style, and templates. */
import { attributeIn, type Edit, edited, type Tag, tagsIn } from "#services/conversion/engines/inside/html-tags.ts";
import { type Hiding, hidingRules, sheetsIn } from "./html-hiding-rules.ts";

const childless = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
/** A next one of these ends the element, if it has no end tag. */
const unnested = new Set(["p", "option"]);

/** Footnotes and lists that reading systems show in their own way, however they are styled. */
const isOfReader = (tag: string): boolean => /\s(?:epub:type|role)\s*=\s*["'][^"'<>]*(?:note|toc|landmarks|page-list)/i.test(tag);

/** `sheets`: style sheets beside the page. Undefined if nothing is hidden. */
export function withoutHidden(html: string, sheets: readonly string[] = []): string | undefined {
  const rules = hidingRules([...sheets, ...sheetsIn(html)]);
  if (rules === undefined && !/<template|\shidden|display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden/i.test(html)) return undefined;
  const edits: Edit[] = [];
  let inside: { readonly name: string; readonly from: number; depth: number } | undefined;
  for (const tag of tagsIn(html)) {
    if (inside === undefined) {
      if (tag.isEnd || !isHidden(html, tag, rules)) continue;
      if (childless.has(tag.name)) edits.push({ from: tag.at, to: tag.end, text: "" });
      else inside = { name: tag.name, from: tag.at, depth: 1 };
    } else if (tag.name === inside.name) {
      const isNext = !tag.isEnd && unnested.has(tag.name);
      inside.depth += tag.isEnd || isNext ? -1 : 1;
      if (inside.depth > 0) continue;
      edits.push({ from: inside.from, to: isNext ? tag.at : tag.end, text: "" });
      inside = undefined;
      if (isNext && isHidden(html, tag, rules)) inside = { name: tag.name, from: tag.at, depth: 1 };
    }
  }
  return edited(html, edits);
}

function isHidden(html: string, { name, at, end }: Tag, rules: Hiding | undefined): boolean {
  const tag = html.slice(at, end);
  // The body of some pages is hidden until their scripts run.
  if (name === "template" || name === "html" || name === "body") return name === "template";
  if (isOfReader(tag)) return false;
  const style = attributeIn(tag, "style") ?? "";
  if (rules?.(name, attributeIn(tag, "id"), attributeIn(tag, "class")) === true && !/(?:^|;)\s*display\s*:/i.test(style)) return true;
  if (!/hidden|none/i.test(tag)) return false;
  return attributeIn(tag, "hidden") !== undefined || /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b/i.test(style);
}
