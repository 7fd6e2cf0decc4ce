/** Counts letters and digits of documents, without markup: in a source those that a reader certainly sees, in a result all. */
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { decodeEntities } from "#services/conversion/engines/inside/entities.ts";
import { contentOf } from "../remote-file.ts";
import { attributeOf, createNesting, scanMarkup } from "./markup.ts";
import { openPackage, type Package, wholeText } from "./parts.ts";
import { lettersIn } from "./plain-letters.ts";
import { lettersOfRichText } from "./rich-letters.ts";

const entities = (text: string): string => (text.includes("&") ? decodeEntities(text) : text);

/** Counts text in the elements of `within`, or in all if it is undefined, except for what is inside those of `left`. */
function lettersOfMarkup(markup: string, left: ReadonlySet<string>, within?: ReadonlySet<string>): number {
  const [out, inside] = [createNesting(left), createNesting(within ?? new Set())];
  let letters = 0;
  scanMarkup(markup, {
    onTag(name, tag) {
      out.follow(name, tag);
      inside.follow(name, tag);
    },
    onText(text) {
      if (!out.isInside && (within === undefined || inside.isInside)) letters += lettersIn(entities(text));
    },
  });
  return letters;
}

const set = (...names: readonly string[]): ReadonlySet<string> => new Set(names);
const none = set();

/** Elements that are not shown, or not as text. */
const unseenOfPages = new Set(
  "head title script style template noscript svg math select datalist textarea button object iframe audio video canvas nav dialog".split(
    " ",
  ),
);

/** For a result. A script may contain text that looks like tags. */
const sheets = set("style");

/** A page that hides something hides an unknown part of its text. */
const hides = /display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden|\shidden[\s>=]/i;

function lettersOfPage(page: string, isSource: boolean): number | undefined {
  if (isSource && hides.test(page)) return undefined;
  return lettersOfMarkup(page, isSource ? unseenOfPages : sheets);
}

/** Deleted text, duplicates, formulas, and text that is regenerated on opening. */
const asideInWord = set("fallback", "movefrom", "del", "omath", "fldsimple");

/** The text of a document. Results of fields are regenerated too, except those of links, which contain the text that a reader clicks. */
function lettersOfWordText(text: string): number {
  const [out, inside] = [createNesting(asideInWord), createNesting(set("t"))];
  const fields: { isLink: boolean; isMade: boolean }[] = [];
  let [letters, isAsked, made] = [0, false, 0];
  const follow = (sort: string | undefined) => {
    const field = fields.at(-1);
    if (sort === "begin") fields.push({ isLink: false, isMade: false });
    else if (sort === "separate" && field !== undefined && !field.isLink && !field.isMade) {
      field.isMade = true;
      made += 1;
    } else if (sort === "end") made -= fields.pop()?.isMade === true ? 1 : 0;
  };
  scanMarkup(text, {
    onTag(name, tag) {
      out.follow(name, tag);
      inside.follow(name, tag);
      if (name.endsWith("instrtext")) isAsked = !name.startsWith("/") && !tag.endsWith("/>");
      if (name === "fldchar") follow(attributeOf(tag, "w:fldCharType"));
    },
    onText(part) {
      const field = fields.at(-1);
      if (isAsked && field !== undefined) field.isLink ||= /^\s{0,9}(?:HYPERLINK|REF)\b/.test(part);
      else if (inside.isInside && !out.isInside && made === 0) letters += lettersIn(entities(part));
    },
  });
  return letters;
}

/** Undefined if runs are hidden one by one, because then the amount is unknown. */
async function lettersOfWord(parts: Package, isSource: boolean): Promise<number | undefined> {
  const shown = set("t");
  if (!isSource)
    return await sumOf(
      parts,
      parts.names.filter((name) => /^word\/[^/]*\.xml$/.test(name)),
      (part) => lettersOfMarkup(part, none, shown),
    );
  const text = await parts.text("word/document.xml");
  return text.includes("<w:vanish") ? undefined : lettersOfWordText(text);
}

/** Deleted text, text shown elsewhere, and text that is regenerated on opening. */
const asideInOpenText = new Set(
  (
    "date time page-number page-count page-continuation author-name author-initials creator initial-creator editing-duration " +
    "file-name chapter template-name sender-firstname sender-lastname sender-initials sender-title sender-position " +
    "sender-email sender-phone-private sender-fax sender-company sender-phone-work sender-street sender-city " +
    "sender-postal-code sender-country sender-state-or-province variable-set variable-get variable-input user-field-get " +
    "user-field-input sequence expression conditional-text database-display placeholder reference-ref bookmark-ref note-ref " +
    "sequence-ref tracked-changes note annotation sequence-decls variable-decls user-field-decls forms frame hidden-text " +
    "hidden-paragraph table-of-content illustration-index table-index object-index user-index alphabetical-index bibliography"
  ).split(" "),
);

function lettersOfOpenText(content: string, isSource: boolean): number | undefined {
  if (isSource && content.includes('text:display="none"')) return undefined;
  return isSource ? lettersOfMarkup(content, asideInOpenText, set("p", "h")) : lettersOfMarkup(content, none, set("body", "styles"));
}

async function lettersOfBook(parts: Package, isSource: boolean): Promise<number | undefined> {
  const pages = new Set(parts.names.filter((name) => /\.x?html?$/i.test(name)));
  if (!isSource) return await sumOf(parts, pages, (page) => lettersOfPage(page, false));
  const list = parts.names.find((name) => name.endsWith(".opf"));
  if (list === undefined) return undefined;
  const [hrefs, order] = [new Map<string, string>(), [] as string[]];
  scanMarkup(await parts.text(list), {
    onTag(name, tag) {
      if (name === "item") hrefs.set(attributeOf(tag, "id") ?? "", attributeOf(tag, "href") ?? "");
      if (name === "itemref" && attributeOf(tag, "linear") !== "no") order.push(attributeOf(tag, "idref") ?? "");
    },
  });
  const folder = list.slice(0, list.lastIndexOf("/") + 1);
  const read = new Set(order.map((id) => folder + entities(hrefs.get(id) ?? "")).filter((name) => pages.has(name)));
  return await sumOf(parts, read, (page) => lettersOfPage(page, true));
}

async function sumOf(parts: Package, names: Iterable<string>, count: (part: string) => number | undefined): Promise<number | undefined> {
  let sum = 0;
  for (const name of names) {
    const found = count(await parts.text(name));
    if (found === undefined) return undefined;
    sum += found;
  }
  return sum;
}

const words = new Set(["docx", "docm", "dotx"]);
const openTexts = new Set(["odt", "ott"]);
const pages = new Set(["html", "xhtml"]);
/** In a source, only their reader can distinguish markup from words. */
const plainTexts = new Set(
  "md rst org tex textile mediawiki dokuwiki jira muse haddock adoc ms man texinfo context xwiki zimwiki markua ipynb opml docbook jats tei icml".split(
    " ",
  ),
);

/** Undefined if it cannot be known. */
export async function lettersOf(file: ByteSource, format: string, isSource: boolean): Promise<number | undefined> {
  if (words.has(format)) return await lettersOfWord(await openPackage(file), isSource);
  if (openTexts.has(format)) {
    const parts = await openPackage(file);
    return await sumOf(parts, isSource ? ["content.xml"] : ["content.xml", "styles.xml"], (part) => lettersOfOpenText(part, isSource));
  }
  if (format === "rtf") return isSource ? undefined : lettersOfRichText((await contentOf(file)).toString("latin1"));
  if (format === "epub") return await lettersOfBook(await openPackage(file), isSource);
  if (!pages.has(format) && format !== "fodt" && format !== "fb2" && format !== "txt" && (isSource || !plainTexts.has(format)))
    return undefined;
  const text = wholeText(await contentOf(file));
  if (pages.has(format)) return lettersOfPage(text, isSource);
  if (format === "fodt") return lettersOfOpenText(text, isSource);
  if (format === "fb2") return lettersOfMarkup(text, set("binary", ...(isSource ? ["description", "stylesheet"] : [])));
  return lettersIn(text);
}
