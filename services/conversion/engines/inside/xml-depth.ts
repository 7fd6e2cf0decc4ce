import { tooComplex } from "./failure.ts";

/** Counts tags without a parser, which would descend once per level. Throws INPUT_TOO_COMPLEX. */
export function assertShallowXml(text: string, maxDepth: number): void {
  let depth = 0;
  for (const [tag] of text.matchAll(/<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<[^!?][^>]*>/g)) {
    if (tag.startsWith("<!") || tag.endsWith("/>")) continue;
    depth += tag.startsWith("</") ? -1 : 1;
    if (depth > maxDepth) throw tooComplex(`The file is nested deeper than ${maxDepth} levels.`);
  }
}
