/** Moves links around blocks, such as a heading, into them, and code around links: Pandoc leaves such links empty, or out. */
import { attributeIn, attributes, type Edit, edited, shows, type Tag, tagsIn } from "#services/conversion/engines/inside/html-tags.ts";

const blocks = new Set(
  (
    "address article aside blockquote caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header " +
    "hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

const isCell = /^t[dhr]$/;

/** The page without the blanks around addresses that browsers skip. Undefined if there are none. */
export function withPlainAddresses(html: string): string | undefined {
  const edits: Edit[] = [];
  for (const { name, at, end } of tagsIn(html)) {
    if (name !== "a" && name !== "img") continue;
    for (const { name: key, value, from, to } of attributes(html.slice(at, end)))
      if ((key === "href" || key === "src") && /^\s|\s$|[\r\n]/.test(value)) {
        const quote = value.includes('"') ? "'" : '"';
        edits.push({ from: at + from, to: at + to, text: quote + value.trim().replace(/[\r\n]/g, "") + quote });
      }
  }
  return edited(html, edits);
}

/** Undefined if no link is around a block. */
export function withLinksInside(html: string): string | undefined {
  const edits: Edit[] = [];
  let link: Tag | undefined;
  let inside: Tag[] = [];
  let hasTable = false;
  for (const tag of tagsIn(html)) {
    // A cell ends a link in the one before, and a link one around it, as in browsers.
    const isNext = tag.name === "a" || (isCell.test(tag.name) && !hasTable);
    hasTable ||= tag.name === "table";
    if (!isNext && blocks.has(tag.name)) inside.push(tag);
    if (!isNext) continue;
    if (link !== undefined && inside.length > 0) for (const edit of movedInto(html, link, inside, tag)) edits.push(edit);
    link = tag.name !== "a" || tag.isEnd || tag.isEmpty ? undefined : tag;
    inside = [];
    hasTable = false;
  }
  return edited(html, edits);
}

/** Undefined if no code in a line has links. */
export function withCodeInside(html: string): string | undefined {
  const edits: Edit[] = [];
  let code: Tag | undefined;
  let inside: Tag[] = [];
  let isPreformatted = false;
  for (const tag of tagsIn(html)) {
    if (tag.name === "pre") isPreformatted = !tag.isEnd;
    if (tag.name === "a") inside.push(tag);
    if (tag.name !== "code") continue;
    if (code !== undefined && tag.isEnd && inside.length > 0 && !isPreformatted)
      for (const edit of movedInto(html, code, inside, tag)) edits.push(edit);
    code = tag.isEnd ? undefined : tag;
    inside = [];
  }
  return edited(html, edits);
}

/** Whether preformatted text has links out of the page. */
export function hasLinksInCode(html: string): boolean {
  let isCode = false;
  return tagsIn(html).some(({ name, isEnd, at, end }) => {
    if (name === "pre") isCode = !isEnd;
    return isCode && name === "a" && /^[^#]/.test(attributeIn(html.slice(at, end), "href") ?? "");
  });
}

/** `outer`: a link, or code. Its attributes are those of its first part; the others have its address. */
function movedInto(html: string, outer: Tag, inside: readonly Tag[], last: Tag): Edit[] {
  const written = html.slice(outer.at, outer.end);
  const address = attributes(written).find(({ name }) => name === "href");
  if (outer.name === "a" && address === undefined) return [];
  const ends = [...inside, last];
  const parts = [outer, ...inside].map(({ end: from }, place) => ({ from, to: ends[place]?.at ?? from }));
  const shown = parts.filter(({ from, to }) => shows(html.slice(from, to)));
  if (shown.length === 0) return [];
  const next = address === undefined ? "<code>" : `<a href=${written.slice(address.from, address.to)}>`;
  return [
    { from: outer.at, to: outer.end, text: "" },
    ...shown.flatMap(({ from, to }, place) => [
      { from, to: from, text: place === 0 ? written : next },
      { from: to, to, text: `</${outer.name}>` },
    ]),
    ...(last.isEnd && last.name === outer.name ? [{ from: last.at, to: last.end, text: "" }] : []),
  ];
}
