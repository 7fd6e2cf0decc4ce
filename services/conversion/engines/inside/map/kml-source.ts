/** Rewrites what GDAL would read wrongly in a KML, and notes what it does not read. */
import type { Notes } from "../exchange.ts";
import { addNote, named } from "./notes.ts";

/** Elements for which a map's table has no column. */
const unread = /<(address|phoneNumber|atom:link|atom:author|LookAt|Camera|Region|Model|ScreenOverlay|PhotoOverlay)[\s>]/g;
const stamp = /<(?:when|begin|end)>\s*(-?\d{4,6}(?:-\d\d){0,2}|-[^<]{1,40}?)\s*</g;

/** GDAL reads those of places. */
function hasSnippetOfGroup(text: string): boolean {
  return text
    .split(/<\/(?:Placemark|GroundOverlay)>/)
    .some((part) => /<Snippet[\s>]/.test(part.split(/<(?:Placemark|GroundOverlay)[\s>]/)[0] ?? ""));
}

export function plainKml(text: string, notes: Notes): string {
  const snippets = hasSnippetOfGroup(text) ? ["Snippet"] : [];
  const left = [...new Set([...text.matchAll(unread)].map(([, name = ""]) => name)), ...snippets, ...describedGroups(text)];
  if (left.length > 0) addNote(notes, "METADATA_DROPPED", `Left out of the map: ${named(left)}.`);
  if (/<GroundOverlay[\s>]/.test(text))
    addNote(notes, "METADATA_DROPPED", "Pictures that cover a part of the map were left out; their areas and addresses were kept.");
  const stamps = [...new Set([...text.matchAll(stamp)].map(([, said = ""]) => said))];
  if (stamps.length > 0)
    addNote(
      notes,
      "METADATA_DROPPED",
      `Years were left out, and days and months without a time became their first moment: ${named(stamps)}.`,
    );
  const told = { renamed: false };
  const places = text.split("</Placemark>").map((place) => withId(withOwnName(place, told)));
  if (told.renamed) addNote(notes, "NAMES_CHANGED", "Values called name, beside the names of places, were renamed: name → name_2.");
  return (
    withOneRoot(withTextTypes(withFields(places.join("</Placemark>")), notes))
      // KML 2.3 has tracks of its own, of which GDAL reads only those of Google's extension.
      .replace(/<(\/?)(MultiTrack|Track|coord)(?=[\s>])/g, "<$1gx:$2")
      .replace(/^(<\?xml[^>]{0,200}encoding=)(?:"[^"]{0,40}"|'[^']{0,40}')/, '$1"UTF-8"')
      .replace(/(?<!BoundaryIs>\s{0,99})<LinearRing(?=[\s>])/g, "<LineString")
      .replace(/<\/LinearRing>(?!\s{0,99}<\/(?:outer|inner)BoundaryIs)/g, "</LineString>")
  );
}

/** A document's and a folder's description, if any has one. */
function describedGroups(text: string): readonly string[] {
  const groups = text.split(/<(?=(?:Document|Folder)[\s>])/).slice(1);
  const isDescribed = (group: string) =>
    /<description>\s{0,99}([^\s<]|<!\[CDATA\[)/.test(group.split(/<(?:Placemark|\w+Overlay|NetworkLink|Style)[\s>]/, 1)[0] ?? "");
  return groups.some(isDescribed) ? ["descriptions of folders"] : [];
}

/** Of several places or documents without a document around them, GDAL reads only the first. */
function withOneRoot(text: string): string {
  const root = /<kml(?:\s[^<>]{0,2000})?>/.exec(text);
  const end = text.lastIndexOf("</kml>");
  if (root === null || end < 0) return text;
  const start = root.index + root[0].length;
  if (!/^\s*<(Placemark|Folder)[\s>]/.test(text.slice(start, start + 4000)) && !/<\/Document>\s{0,99}<[A-Z]/.test(text)) return text;
  return `${text.slice(0, start)}<Document>${text.slice(start, end)}</Document>${text.slice(end)}`;
}

/** GDAL mistakes a value called name for the name of its place. */
function withOwnName(place: string, told: { renamed: boolean }): string {
  const value = /<(?:Data|SimpleData) name=["']name["'][^>]{0,100}>(?:\s*<value>)?([^<]*)</i.exec(place);
  const start = place.lastIndexOf("<Placemark");
  const own = /<name>([^<]*)</.exec(place.slice(Math.max(start, 0)))?.[1];
  if (value === null || own === undefined || value[1] === own) return place;
  told.renamed = true;
  return place.replace(/<(Data|SimpleData) name=(["'])name["']/gi, "<$1 name=$2name_2$2");
}

/** The id of a place, which GDAL does not read, as one of its values. */
function withId(place: string): string {
  const start = place.lastIndexOf("<Placemark");
  const own = place.slice(Math.max(start, 0));
  const [head, quoted, id = quoted] =
    /^<Placemark(?:\s[^<>]{0,300})?\sid=(?:"([^"<>]{1,300})"|'([^'<>]{1,300})')[^<>]{0,300}>/.exec(own) ?? [];
  if (head === undefined || head.endsWith("/>")) return place;
  const data = `<Data name="${/name=["']id["']/i.test(own) ? "id_2" : "id"}"><value>${id}</value></Data>`;
  const body = own.slice(head.length);
  const filled = body.replace(/<ExtendedData(?:\s[^<>]{0,300})?(?<!\/)>/, (tag) => tag + data);
  // GDAL reads only the last element of values, so an empty one has to go.
  const bare = body.replace(/<ExtendedData(?:\s[^<>]{0,300})?\/>/, "");
  return place.slice(0, start) + head + (filled === body ? `<ExtendedData>${data}</ExtendedData>${bare}` : filled);
}

/** If a document declares any fields, GDAL reads no values of other fields; if it declares none, no values of declared ones. */
function withFields(text: string): string {
  const schema = /<Schema [^>]{0,200}?id=["']([^"']{1,200})["']/.exec(text)?.[1];
  if (schema === undefined || !text.includes("</Schema>"))
    return text
      .replace(/<\/?SchemaData(?:\s[^<>]{0,300})?>/g, "")
      .replace(/<SimpleData(\s[^<>]{1,300})(?<!\/)>/g, "<Data$1><value>")
      .replaceAll("</SimpleData>", "</value></Data>");
  const declared = new Set([...text.matchAll(/<SimpleField [^>]{0,200}?name="([^"]{1,200})"/g)].map(([, name = ""]) => name));
  const added = new Set<string>();
  const pieces = text.split("</Data>");
  const made = pieces.map((piece, place) => {
    const at = piece.lastIndexOf('<Data name="');
    const name = /^<Data name="([^"]{1,200})"/.exec(piece.slice(Math.max(at, 0)))?.[1];
    const [start, end] = [piece.indexOf("<value>", at), piece.lastIndexOf("</value>")];
    if (name === undefined || start < 0 || end < start) return place + 1 < pieces.length ? `${piece}</Data>` : piece;
    if (!declared.has(name)) added.add(name);
    const value = piece.slice(start + "<value>".length, end);
    return `${piece.slice(0, at)}<SchemaData schemaUrl="#${schema}"><SimpleData name="${name}">${value}</SimpleData></SchemaData>`;
  });
  for (const [, name = ""] of text.matchAll(/<SimpleData [^>]{0,200}?name="([^"]{1,200})"/g)) if (!declared.has(name)) added.add(name);
  const fields = [...added].map((name) => `<SimpleField name="${name}" type="string"/>`).join("");
  return made.join("").replace("</Schema>", () => `${fields}</Schema>`);
}

/** What GDAL reads of each type of field: integers of 32 bits, clamped, and the first digits of anything else. */
const readable: readonly (readonly [types: RegExp, isExact: (text: string) => boolean])[] = [
  [/^u?(int|short)$/, (text) => /^[-+]?\d{1,30}$/.test(text) && Math.abs(Number(text)) < 2 ** 31],
  [/^(float|double)$/, (text) => /^[-+]?(\d{1,30}\.?\d{0,30}|\.\d{1,30})(e[-+]?\d{1,3})?$/i.test(text)],
  [/^bool$/, (text) => text === "0" || text === "1"],
];

function withTextTypes(text: string, notes: Notes): string {
  const types = new Map<string, (text: string) => boolean>();
  const field = /<SimpleField [^>]{1,300}>/g;
  const nameOf = (tag: string) => /name=["']([^"']{1,200})["']/.exec(tag)?.[1] ?? "";
  for (const [tag] of text.matchAll(field)) {
    const type = /type=["'](\w{1,9})["']/.exec(tag)?.[1] ?? "";
    const isExact = readable.find(([each]) => each.test(type))?.[1];
    if (isExact !== undefined) types.set(nameOf(tag), isExact);
  }
  const changed = new Set<string>();
  for (const [, name = "", said = ""] of text.matchAll(/<SimpleData name=["']([^"']{1,200})["']>([^<]*)</g))
    if (said.trim() !== "" && types.get(name)?.(said.trim()) === false) changed.add(name);
  if (changed.size === 0) return text;
  addNote(notes, "TYPES_AS_TEXT", `Booleans, large integers and values that are not numbers became text: ${named([...changed])}.`);
  return text.replace(field, (tag) => (changed.has(nameOf(tag)) ? tag.replace(/type=["']\w{1,9}["']/, 'type="string"') : tag));
}
