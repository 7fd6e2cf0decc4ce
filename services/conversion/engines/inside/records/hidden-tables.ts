/** Which tables of an OpenDocument are hidden, of which its reader says nothing. @see OpenDocument 1.3 part 3, 20.143 table:display */
import { CFB } from "@e965/xlsx";

/** In the order of the tables; empty for what is no OpenDocument. */
export function hiddenTablesOf(bytes: Uint8Array): readonly boolean[] {
  const content = contentOf(bytes);
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

/** Of a ZIP its part, of a flat file itself. */
function contentOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 512)).toString("latin1");
  if (start.startsWith("<?xml") || start.includes("<office:document")) return Buffer.from(bytes).toString();
  if (!start.startsWith("PK") || !start.includes("opendocument")) return undefined;
  const part = CFB.find(CFB.read(Buffer.from(bytes), { type: "buffer" }), "/content.xml")?.content;
  return part === undefined ? undefined : Buffer.from(part).toString();
}

function attributeOf(attributes: string, name: string): string {
  const found = attributes.split(`${name}=`, 2)[1] ?? "";
  return found.slice(1).split(found.charAt(0), 1)[0] ?? "";
}
