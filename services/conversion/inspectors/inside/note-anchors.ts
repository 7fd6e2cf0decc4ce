/**
 * Marks footnotes of a web page or an e-book chapter in a way that Pandoc keeps. By default, it drops the ids of paragraphs, superscripts
 * and cells, takes asides for raw HTML, and forgets an EPUB note reference whose note is elsewhere.
 */

const tag = /<(\/?)([a-zA-Z][a-zA-Z0-9]{0,20})((?:\s[^<>]{0,4000})?)>/g;
const leading = /\shref\s*=\s*["'][^"'#<>]{0,1000}#([^"'<>]{1,500})["']/g;
const name = /\sid\s*=\s*["']([^"'<>]{1,500})["']/;
/** Calibre leaves out the prefix, without which lists and links have types of their own. */
const kinds = [/\sepub:type\s*=\s*["']([^"'<>]{0,200})["']/, /\stype\s*=\s*["']([^"'<>]{0,200})["']/];
const role = /\srole\s*=\s*["'][^"'<>]{0,200}["']/;

/** Elements whose ids Pandoc drops. */
const nameless = new Set(["p", "sup", "td", "th", "dt", "dd", "small"]);

/** The ids within pages that links lead to. */
export const targetsIn = (page: string): string[] => Array.from(page.matchAll(leading), ([, target = ""]) => target);

/** Undefined if nothing changes. */
export function withNoteAnchors(page: string, targets: ReadonlySet<string>): string | undefined {
  const seen = new Set<string>();
  const made = page.replace(tag, (whole: string, slash: string, written: string, given: string) => {
    const element = written.toLowerCase();
    const wanted = element === "aside" ? "div" : written;
    if (slash !== "") return element === "aside" ? "</div>" : whole;
    const attributes = withRole(given);
    const found = name.exec(attributes);
    const [, own = ""] = found ?? [];
    // If several elements have the same id, a link leads to the first.
    const isFirst = !seen.has(own);
    seen.add(own);
    if (found === null || !isFirst || !targets.has(own) || !nameless.has(element) || given.endsWith("/"))
      return wanted === written && attributes === given ? whole : `<${wanted}${attributes}>`;
    return `<${wanted}${attributes.replace(name, "")}><span${found[0]}></span>`;
  });
  return made === page ? undefined : made;
}

/** Turns EPUB's types into roles. @see https://www.w3.org/TR/epub-ssv-11/ */
function withRole(attributes: string): string {
  const kind = kinds.find((each) => each.test(attributes));
  if (kind === undefined) return attributes;
  const words = kind.exec(attributes)?.[1]?.split(/\s/) ?? [];
  const wanted = words.includes("noteref")
    ? "doc-noteref"
    : ["footnote", "endnote", "rearnote", "note"].some((each) => words.includes(each))
      ? "doc-footnote"
      : undefined;
  if (wanted === undefined) return attributes;
  return ` role="${wanted}"${attributes.replace(kind, "").replace(role, "")}`;
}
