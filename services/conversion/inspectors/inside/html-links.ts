/** Moves links around blocks, such as a heading, into them: Pandoc leaves an empty link before the block. In code, it keeps none. */
import { attributeIn, attributes, type Edit, edited, shows, type Tag, tagsIn } from "#services/conversion/engines/inside/html-tags.ts";

const blocks = new Set(
  (
    "address article aside blockquote caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header " +
    "hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

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
  for (const tag of tagsIn(html)) {
    if (blocks.has(tag.name)) inside.push(tag);
    if (tag.name !== "a") continue;
    // A link in a link ends it, as in browsers.
    if (link !== undefined && inside.length > 0) for (const edit of movedInto(html, link, inside, tag)) edits.push(edit);
    link = tag.isEnd ? undefined : tag;
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

function movedInto(html: string, link: Tag, inside: readonly Tag[], last: Tag): Edit[] {
  const written = html.slice(link.at, link.end);
  const address = attributes(written).find(({ name }) => name === "href");
  if (address === undefined) return [];
  const ends = [...inside, last];
  const parts = [link, ...inside].map(({ end: from }, place) => ({ from, to: ends[place]?.at ?? from }));
  const shown = parts.filter(({ from, to }) => shows(html.slice(from, to)));
  if (shown.length === 0) return [];
  const next = `<a href=${written.slice(address.from, address.to)}>`;
  return [
    { from: link.at, to: link.end, text: "" },
    ...shown.flatMap(({ from, to }, place) => [
      { from, to: from, text: place === 0 ? written : next },
      { from: to, to, text: "</a>" },
    ]),
    ...(last.isEnd ? [{ from: last.at, to: last.end, text: "" }] : []),
  ];
}
