/** Finds and changes tags of a web page as it stands, without a parser. */

export type Tag = {
  /** In lower case. */
  readonly name: string;
  readonly isEnd: boolean;
  readonly isEmpty: boolean;
  readonly at: number;
  /** The position after its `>`. */
  readonly end: number;
};

/** Elements in which nothing else is a tag. */
const rawTexts = new Set(["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"]);

export function* tagsIn(html: string): Generator<Tag> {
  const start = /<(\/?)([a-zA-Z][a-zA-Z0-9:-]{0,40})/y;
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    if (html.startsWith("<!--", at)) {
      const end = html.indexOf("-->", at + 4);
      if (end < 0) return;
      at = end;
      continue;
    }
    start.lastIndex = at;
    const [whole, slash, found = ""] = start.exec(html) ?? [];
    if (whole === undefined) {
      at += 1;
      continue;
    }
    const name = found.toLowerCase();
    const end = endOfTag(html, at + whole.length);
    yield { name, isEnd: slash === "/", isEmpty: html.charAt(end - 2) === "/", at, end };
    at = end;
    if (slash === "/" || !rawTexts.has(name)) continue;
    at = endOfRawText(html, name, at);
  }
}

function endOfRawText(html: string, name: string, from: number): number {
  for (let at = html.indexOf("</", from); at >= 0; at = html.indexOf("</", at + 2)) {
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
  }
  return html.length;
}

/** The position after the `>` that ends a tag. One inside an attribute's value does not count. */
function endOfTag(html: string, from: number): number {
  for (let at = from; at < html.length; at += 1) {
    const sign = html.charAt(at);
    if (sign === ">") return at + 1;
    if (sign !== "=") continue;
    while (/\s/.test(html.charAt(at + 1))) at += 1;
    const quote = html.charAt(at + 1);
    if (quote !== '"' && quote !== "'") continue;
    const end = html.indexOf(quote, at + 2);
    if (end < 0) return html.length;
    at = end;
  }
  return html.length;
}

/** A part of a page and what takes its place. */
export type Edit = { readonly from: number; readonly to: number; readonly text: string };

/** Edits inside another are left out. Undefined if there are none. */
export function edited(html: string, edits: readonly Edit[]): string | undefined {
  if (edits.length === 0) return undefined;
  const pieces: string[] = [];
  let at = 0;
  for (const { from, to, text } of edits.toSorted((one, other) => one.from - other.from)) {
    if (from < at) continue;
    pieces.push(html.slice(at, from), text);
    at = to;
  }
  return [...pieces, html.slice(at)].join("");
}

const attribute = /\s([a-zA-Z:-]{1,40})(?:\s{0,99}=\s{0,99}("[^"]*"|'[^']*'|[^\s"'>]+)|(?=[\s/>]))/g;

type Attribute = { readonly name: string; readonly value: string; readonly from: number; readonly to: number };

/** The attributes of a tag with their values as written, empty if there is none, and where these are with their quotes. */
export function* attributes(tag: string): Generator<Attribute> {
  for (const { 0: whole, 1: name = "", 2: quoted = "", index } of tag.matchAll(attribute)) {
    const to = index + whole.length;
    yield { name: name.toLowerCase(), value: quoted.replace(/^(["'])(.*)\1$/s, "$2"), from: to - quoted.length, to };
  }
}

/** Undefined if the tag lacks the attribute. */
export function attributeIn(tag: string, name: string): string | undefined {
  return attributes(tag).find((each) => each.name === name)?.value;
}

/** Text without tags and blanks. */
export const plainOf = (html: string): string => html.replace(/<[^<>]*>|&nbsp;|&#160;|\s+/g, "");

/** Whether a part of a page shows text or a picture. */
export function shows(html: string): boolean {
  const [first = "", ...others] = html.split(/<!--|<(?:script|style)\b/i);
  const shown = [
    first,
    ...others.map(
      (piece) =>
        piece
          .split(/-->|<\/(?:script|style)\s{0,9}>/i)
          .slice(1)
          .at(-1) ?? "",
    ),
  ].join("");
  return /<img\b/i.test(shown) || plainOf(shown) !== "";
}
