/** Keeps what Pandoc does not read of lists in a web page: numbers of items by `value` and `reversed`, and what is outside of items. */
import { attributeIn, type Edit, edited, shows, tagsIn } from "#services/conversion/engines/inside/html-tags.ts";

type List = {
  readonly name: string;
  readonly at: number;
  readonly end: number;
  readonly items: { readonly at: number; readonly value: number | undefined }[];
};

/** `from`: where what is outside of its items begins. */
type Loose = { from: number | undefined; readonly isOutside: boolean; readonly edits: Edit[]; hasItems: boolean };

/** The page with items for what is directly in a list that has items, such as a heading. Undefined if nothing is. */
export function withWholeLists(html: string): string | undefined {
  const [open, edits] = [[] as Loose[], [] as Edit[]];
  for (const { name, isEnd, at, end } of tagsIn(html)) {
    if (name !== "li" && name !== "ul" && name !== "ol") continue;
    const list = open.at(-1);
    const from = list?.from;
    if (from !== undefined && shows(html.slice(from, at)))
      list?.edits.push({ from, to: from, text: "<li>" }, { from: at, to: at, text: "</li>" });
    if (name === "li") {
      if (list !== undefined) [list.from, list.hasItems] = [isEnd ? end : undefined, true];
    } else if (!isEnd) open.push({ from: end, isOutside: from !== undefined, edits: [], hasItems: false });
    else if (open.pop()?.hasItems === true) for (const edit of list?.edits ?? []) edits.push(edit);
    // After a list outside of items, its parent goes on outside of them.
    const parent = open.at(-1);
    if (parent !== undefined && name !== "li" && isEnd && list?.isOutside === true) parent.from = end;
  }
  return edited(html, edits);
}

/** The page with a list of its own for each run of numbers. Undefined if all lists count on. */
export function withItemNumbers(html: string): string | undefined {
  const [open, edits] = [[] as List[], [] as Edit[]];
  for (const { name, isEnd, at, end } of tagsIn(html)) {
    if (name === "li" && !isEnd) open.at(-1)?.items.push({ at, value: numberOf(attributeIn(html.slice(at, end), "value")) });
    else if (!/^(?:ol|ul|menu)$/.test(name)) continue;
    else if (!isEnd) open.push({ name, at, end, items: [] });
    else if (open.at(-1)?.name === name) for (const edit of editsOf(html, open.pop())) edits.push(edit);
  }
  return edited(html, edits);
}

const numberOf = (written: string | undefined): number | undefined =>
  written === undefined || !/^\s*-?\d{1,9}\s*$/.test(written) ? undefined : Number(written);

function editsOf(html: string, list: List | undefined): Edit[] {
  if (list === undefined || list.name !== "ol") return [];
  const tag = html.slice(list.at, list.end);
  const step = attributeIn(tag, "reversed") === undefined ? 1 : -1;
  if (step > 0 && list.items.every(({ value }) => value === undefined)) return [];
  const start = numberOf(attributeIn(tag, "start"));
  const kind = attributeIn(tag, "type") ?? "1";
  const tagFrom = (number: number) => `<ol${/^[1aAiI]$/.test(kind) ? ` type="${kind}"` : ""} start="${number}">`;
  const edits: Edit[] = [];
  let [next, counted] = [start ?? (step > 0 ? 1 : list.items.length), start ?? 1];
  for (const [place, { at, value }] of list.items.entries()) {
    const number = value ?? next;
    if (number !== counted)
      edits.push(
        place === 0 ? { from: list.at, to: list.end, text: tagFrom(number) } : { from: at, to: at, text: `</ol>${tagFrom(number)}` },
      );
    next = number + step;
    counted = number + 1;
  }
  return edits;
}
