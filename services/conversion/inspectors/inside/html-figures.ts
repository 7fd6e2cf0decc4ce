/** Turns figures into plain divisions, unless they are a picture and its caption: Pandoc reads nothing else, and describes one by the other. */
import { attributeIn, type Edit, edited, plainOf, type Tag, tagsIn } from "#services/conversion/engines/inside/html-tags.ts";

type Figure = { readonly tag: Tag; readonly descriptions: string[]; caption: string; hasText: boolean };

/** What is aside: a caption, and what is never shown. */
const aside = new Set(["figcaption", "noscript", "script", "style"]);

/** Undefined if there is no such figure. */
export function withFigures(html: string): string | undefined {
  if (!/<figure\b/i.test(html)) return undefined;
  const edits: Edit[] = [];
  const open: Figure[] = [];
  let skipped: Tag | undefined;
  let at = 0;
  for (const tag of tagsIn(html)) {
    const figure = open.at(-1);
    if (figure !== undefined && skipped === undefined && plainOf(html.slice(at, tag.at)) !== "") figure.hasText = true;
    at = tag.end;
    if (skipped !== undefined) {
      if (tag.name !== skipped.name || !tag.isEnd) continue;
      if (skipped.name === "figcaption" && figure !== undefined) figure.caption = plainOf(html.slice(skipped.end, tag.at));
      skipped = undefined;
    } else if (figure !== undefined && aside.has(tag.name) && !tag.isEnd) skipped = tag;
    else if (tag.name === "img") figure?.descriptions.push(plainOf(attributeIn(html.slice(tag.at, tag.end), "alt") ?? ""));
    else if (tag.name === "figure" && !tag.isEnd) open.push({ tag, descriptions: [], caption: "", hasText: false });
    else if (tag.name === "figure" && open.pop() !== undefined && figure !== undefined && !isPicture(figure))
      edits.push(...[figure.tag, tag].map(({ at: from, isEnd }) => ({ from, to: from + (isEnd ? 8 : 7), text: isEnd ? "</div" : "<div" })));
  }
  return edited(html, edits);
}

const isPicture = ({ descriptions: [description = "", ...others], caption, hasText }: Figure): boolean =>
  others.length === 0 && !hasText && (description === "" || description === caption);
