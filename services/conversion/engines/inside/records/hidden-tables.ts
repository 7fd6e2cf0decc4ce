/** Which tables of an OpenDocument are hidden, of which its reader says nothing. @see OpenDocument 1.3 part 3, 20.143 table:display */
import { attributeOf, openDocumentPart } from "./open-document.ts";

/** In the order of the tables; empty for what is no OpenDocument. */
export function hiddenTablesOf(bytes: Uint8Array): readonly boolean[] {
  const content = openDocumentPart(bytes, "content.xml");
  if (content === undefined) return [];
  const hiddenStyles = new Set<string>();
  const tables: boolean[] = [];
  let style = "";
  for (const [, tag = "", attributes = ""] of content.matchAll(/<(style:style|style:table-properties|table:table)\s([^<>]*)>/g)) {
    if (tag === "style:style") style = attributeOf(attributes, "style:name");
    else if (tag === "table:table") tables.push(hiddenStyles.has(attributeOf(attributes, "table:style-name")));
    else if (attributeOf(attributes, "table:display") === "false") hiddenStyles.add(style);
  }
  return tables;
}
