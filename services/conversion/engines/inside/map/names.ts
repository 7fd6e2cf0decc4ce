/** Column names as a format allows them. */
import { asXmlName } from "../records/xml-names.ts";

/** dBase's limit, in bytes. */
const dbaseBytes = 10;

/** Maps old names to new ones; names that collide get numbers. */
export function allowedNames(names: readonly string[], rule: "dbase" | "xml" | "rss" | "word" | undefined): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const found = new Map<string, string>();
  for (const name of names) {
    const wanted = rule === "dbase" ? cut(name.replaceAll(":", "_"), dbaseBytes) : rule === undefined ? name : elementName(name, rule);
    let free = wanted;
    for (let number = 1; taken.has(free.toLowerCase()); number++) {
      const end = `_${number}`;
      free = `${rule === "dbase" ? cut(wanted, dbaseBytes - end.length) : wanted}${end}`;
    }
    taken.add(free.toLowerCase());
    found.set(name, free);
  }
  return found;
}

/** As many whole characters as fit. */
function cut(name: string, bytes: number): string {
  let [kept, length] = ["", 0];
  for (const character of name) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    kept += character;
  }
  return kept;
}

function elementName(name: string, rule: "xml" | "rss" | "word"): string {
  if (rule === "word") {
    const clean = name.replace(/[^\p{L}\p{N}_]/gu, "_");
    return /^[\p{L}_]/u.test(clean) ? clean : `_${clean}`;
  }
  const valid = asXmlName(name.replaceAll(":", "_"));
  // The part before an underscore would become a namespace prefix that nothing declares.
  return rule === "rss" ? valid.replaceAll("_", "-").replace(/^-/, "x-") : valid;
}
