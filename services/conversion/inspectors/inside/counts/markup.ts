/** Splits markup into tags and the text between them, in one pass and without a parser. */

export type Visitor = {
  /** `name` in lower case, without a prefix before a colon; `tag` including its brackets. */
  onTag?(name: string, tag: string): void;
  onText?(text: string): void;
};

/** Skips comments and declarations. The content of CDATA sections is text. Stops at anything that does not end. */
export function scanMarkup(markup: string, { onTag, onText }: Visitor): void {
  for (let at = 0; at < markup.length; ) {
    const open = markup.indexOf("<", at);
    if (open !== at) onText?.(markup.slice(at, open < 0 ? markup.length : open));
    if (open < 0) return;
    const isText = markup.startsWith("<![CDATA[", open);
    const [mark, from] = markup.startsWith("<!--", open) ? ["-->", open + 4] : isText ? ["]]>", open + 9] : [">", open + 1];
    const end = markup.indexOf(mark, from);
    if (end < 0) return;
    if (isText) onText?.(markup.slice(from, end));
    else if (mark === ">") onTag?.(nameOf(markup, open), markup.slice(open, end + 1));
    at = end + mark.length;
  }
}

/** `p` for a start tag, `/p` for an end tag. */
function nameOf(markup: string, open: number): string {
  let at = open + 1;
  const slash = markup[at] === "/" ? "/" : "";
  for (at += slash.length; isNameChar(markup.charCodeAt(at)); ) at += 1;
  const name = markup.slice(open + 1 + slash.length, at);
  return slash + name.slice(name.indexOf(":") + 1).toLowerCase();
}

function isNameChar(code: number): boolean {
  return code > 0x20 && code !== 0x2f && code !== 0x3e;
}

/** The value of an attribute as written in the tag. */
export function attributeOf(tag: string, name: string): string | undefined {
  const at = tag.indexOf(` ${name}="`);
  if (at < 0) return undefined;
  const from = at + name.length + 3;
  return tag.slice(from, tag.indexOf('"', from));
}

/** Tracks whether any of the named elements is open. Each may contain itself. */
export function createNesting(names: ReadonlySet<string>) {
  let depth = 0;
  return {
    follow(name: string, tag: string): void {
      if (name.startsWith("/")) depth -= names.has(name.slice(1)) && depth > 0 ? 1 : 0;
      else if (names.has(name) && !tag.endsWith("/>")) depth += 1;
    },
    get isInside(): boolean {
      return depth > 0;
    },
  };
}
