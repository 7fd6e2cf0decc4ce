/**
 * What says in a web page or a chapter of a book that something is a footnote, in words that Pandoc keeps: it drops the names of paragraphs,
 * raised text and cells, takes asides for raw HTML, and forgets a mark of EPUB whose note stands elsewhere.
 */

const tag = /<(\/?)([a-zA-Z][a-zA-Z0-9]{0,20})((?:\s[^<>]{0,4000})?)>/g;
const leading = /\shref\s*=\s*["'][^"'#<>]{0,1000}#([^"'<>]{1,500})["']/g;
const name = /\sid\s*=\s*["']([^"'<>]{1,500})["']/;
const kind = /\sepub:type\s*=\s*["']([^"'<>]{0,200})["']/;
const role = /\srole\s*=\s*["'][^"'<>]{0,200}["']/;

/** Pandoc drops their names. */
const nameless = new Set(["p", "sup", "td", "th", "dt", "dd", "small"]);

/** The names within pages that links lead to. */
export const targetsIn = (page: string): string[] => Array.from(page.matchAll(leading), ([, target = ""]) => target);

/** Undefined where nothing changes. */
export function withNoteAnchors(page: string, targets: ReadonlySet<string>): string | undefined {
  const seen = new Set<string>();
  const made = page.replace(tag, (whole: string, slash: string, written: string, given: string) => {
    const element = written.toLowerCase();
    const wanted = element === "aside" ? "div" : written;
    if (slash !== "") return element === "aside" ? "</div>" : whole;
    const attributes = withRole(given);
    const found = name.exec(attributes);
    const [, own = ""] = found ?? [];
    // Of several elements of one name, a link leads to the first.
    const isFirst = !seen.has(own);
    seen.add(own);
    if (found === null || !isFirst || !targets.has(own) || !nameless.has(element) || given.endsWith("/"))
      return wanted === written && attributes === given ? whole : `<${wanted}${attributes}>`;
    return `<${wanted}${attributes.replace(name, "")}><span${found[0]}></span>`;
  });
  return made === page ? undefined : made;
}

/** EPUB's kinds as roles. @see https://www.w3.org/TR/epub-ssv-11/ */
function withRole(attributes: string): string {
  const kinds = kind.exec(attributes)?.[1]?.split(/\s/) ?? [];
  const wanted = kinds.includes("noteref")
    ? "doc-noteref"
    : ["footnote", "endnote", "rearnote", "note"].some((each) => kinds.includes(each))
      ? "doc-footnote"
      : undefined;
  if (wanted === undefined) return attributes;
  return ` role="${wanted}"${attributes.replace(kind, "").replace(role, "")}`;
}
