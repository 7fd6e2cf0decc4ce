/** Which tables of an OpenDocument are hidden, which its reader does not report. @see OpenDocument 1.3 part 3, 20.143 table:display */
import { attributeOf, openDocumentPart } from "./open-document.ts";

/** In table order; empty if it is not an OpenDocument. */
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
