import { tooComplex } from "./failure.ts";

/** Counts tags without a parser, which would recurse once per level. Throws INPUT_TOO_COMPLEX. */
export function assertShallowXml(text: string, maxDepth: number): void {
  let depth = 0;
  for (const tag of tagsOf(text)) {
    if (tag.endsWith("/>")) continue;
    depth += tag.startsWith("</") ? -1 : 1;
    if (depth > maxDepth) throw tooComplex(`The file is nested deeper than ${maxDepth} levels.`);
  }
}

/** Comments and CDATA sections may contain text that looks like tags; an unclosed one is neither. */
function* tagsOf(text: string): Generator<string> {
  const last = { "-->": text.lastIndexOf("-->"), "]]>": text.lastIndexOf("]]>"), ">": text.lastIndexOf(">") };
  const endOf = (mark: keyof typeof last, from: number): number => (last[mark] < from ? -1 : text.indexOf(mark, from) + mark.length);
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
    const isComment = text.startsWith("<!--", at);
    const isText = text.startsWith("<![CDATA[", at);
    const isTag = !"!?".includes(text.charAt(at + 1));
    const end = isComment ? endOf("-->", at + 4) : isText ? endOf("]]>", at + 9) : isTag ? endOf(">", at + 2) : -1;
    if (isTag && end >= 0) yield text.slice(at, end);
    at = end < 0 ? at + 1 : end;
  }
}
