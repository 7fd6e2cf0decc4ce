/** A web page that a browser saved with its resources (RFC 2557), as one page that holds them as data: URLs. */
import { decodeEntities, escapeMarkup } from "../entities.ts";
import type { Notes } from "../exchange.ts";
import { invalid, tooComplex } from "../failure.ts";
import { attributeIn, attributes, type Edit, edited, type Tag, tagsIn } from "../html-tags.ts";
import { MessageParser, metaOf, type Part } from "./body.ts";
import { decodeDeclared } from "./decoding.ts";
import { isTruncated } from "./read.ts";

/** One page may refer to a picture very often. */
const mostBytes = 200_000_000;
const maxNesting = 60;
const maxTexts = 2000;
const maxTags = 2_000_000;
const nowhere = "http://page.invalid/";

/** What a page may load. Links lead elsewhere, and stay what they are. */
const loading = new Set(["src", "poster", "background", "data", "xlink:href"]);
const leading = new Set(["href", "action", "cite"]);
/** What comes before the first tag that could hold a script, as every reader of pages understands it: later, a policy may be too late. */
const plainStart =
  /^[\t\n\f\r ]{0,99}(?:<!doctype[^<>]{0,500}>[\t\n\f\r ]{0,99})?(?:<!--[^<>]{0,999}-->[\t\n\f\r ]{0,99})?(?:<html(?:[\t\n\f\r ]{1,99}[a-z:-]{1,40}="[^"<>]{0,500}"){0,30}[\t\n\f\r ]{0,99}>[\t\n\f\r ]{0,99})?(?:<head>)?/i;
const references =
  /url\(\s{0,9}(?:"([^"]{1,4000})"|'([^']{1,4000})'|([^\s"'()]{1,4000}))\s{0,9}\)|@import\s{1,9}(?:"([^"]{1,4000})"|'([^']{1,4000})')/gi;

export async function convertSavedPage(bytes: Buffer, notes: Notes): Promise<string> {
  const parser = new PartsParser(maxNesting, notes);
  const { headers } = await parser.parse(bytes).catch((error: unknown) => {
    throw invalid(`The saved page cannot be read: ${error instanceof Error ? error.message : "it is damaged"}.`);
  });
  if (isTruncated(bytes, headers)) notes.set("INPUT_DAMAGED", "The saved page ends in the middle; its last part may be incomplete.");
  const site = new Site(parser.parts, locationIn(headers), notes);
  const start = /\bstart\s*=\s*"?<?([^\s"<>;]+)/i.exec(valueIn(headers, "content-type"))?.[1];
  const page = (start === undefined ? undefined : site.find(`cid:${start}`, nowhere)) ?? parser.parts.find(isPage);
  if (page === undefined || !isPage(page)) throw invalid("The file contains no saved page.");
  const made = site.pageOf(page);
  const unused = parser.parts.filter((part) => !site.used.has(part) && locationIn(part.headers) !== "").length;
  if (unused > 0) notes.set("ENTRIES_LEFT_OUT", `Saved files that the page does not show were left out: ${unused}.`);
  return made;
}

const valueIn = (headers: Part["headers"], name: string): string => headers.find(({ key }) => key === name)?.value ?? "";
/** Long addresses are folded. */
const locationIn = (headers: Part["headers"]): string => valueIn(headers, "content-location").replace(/\s+/g, "");
const isPage = ({ contentType }: Part): boolean => /^(?:text\/html|application\/xhtml\+xml)$/i.test(contentType.parsed.value);

/** The encoding, and a policy that would forbid the page what it holds now. */
const isOfTransfer = (meta: string): boolean =>
  attributeIn(meta, "charset") !== undefined ||
  /^(?:content-type|content-security-policy)$/i.test(decodeEntities(attributeIn(meta, "http-equiv") ?? "").trim());

/** Keeps the parts as they are. */
class PartsParser extends MessageParser {
  readonly parts: Part[] = [];

  override isInlineTextNode(part: Part): boolean {
    this.parts.push(part);
    return false;
  }
}

class Site {
  readonly used = new Set<Part>();
  readonly #parts = new Map<string, Part>();
  readonly #made = new Map<Part, string>();
  readonly #home: string;
  readonly #notes: Notes;
  #bytes = 0;
  #texts = 0;

  constructor(parts: readonly Part[], home: string, notes: Notes) {
    this.#notes = notes;
    const first = parts.map(({ headers }) => locationIn(headers)).find((each) => URL.canParse(each));
    this.#home = URL.canParse(home) ? home : (first ?? nowhere);
    for (const part of parts.toReversed()) {
      const id = valueIn(part.headers, "content-id").replace(/^\s*<|>\s*$/g, "");
      const location = locationIn(part.headers);
      if (id !== "") this.#parts.set(keyOf(`cid:${id}`, nowhere), part);
      if (location !== "") this.#parts.set(keyOf(location, this.#home), part);
    }
  }

  find(address: string, base: string): Part | undefined {
    return this.#parts.get(keyOf(address, base));
  }

  /** The page with all that it loads. Scripts stay as inert as they are in a saved page. */
  pageOf(part: Part): string {
    this.used.add(part);
    const html = this.#textOf(part).replace(/^\s*<\?xml[^<>]{0,500}\?>/, "");
    const tags = tagsIn(html)
      .take(maxTags + 1)
      .toArray();
    if (tags.length > maxTags) throw tooComplex(`A page of the saved ones has more than ${maxTags} tags.`);
    const own = locationIn(part.headers);
    const address = own === "" ? this.#home : keyOf(own, this.#home);
    const first = (wanted: string) => tags.find(({ name, isEnd }) => name === wanted && !isEnd);
    const told = first("base");
    const href = told && attributeIn(html.slice(told.at, told.end), "href");
    const base = href === undefined ? address : keyOf(decodeEntities(href), address);
    const edits = tags.flatMap((tag, place) => this.#editsOf(html, tag, tags[place + 1], address, base));
    const at = plainStart.exec(html)?.[0].length ?? 0;
    const policy = `<meta charset="utf-8" /><meta http-equiv="Content-Security-Policy" content="script-src 'none'" />`;
    return edited(html, [{ from: at, to: at, text: policy }, ...edits]) ?? html;
  }

  #editsOf(html: string, tag: Tag, next: Tag | undefined, address: string, base: string): Edit[] {
    if (tag.isEnd) return [];
    const text = html.slice(tag.at, tag.end);
    if (tag.name === "base" || (tag.name === "meta" && isOfTransfer(text))) return [{ from: tag.at, to: tag.end, text: "" }];
    if (tag.name === "style") {
      const until = next?.at ?? html.length;
      return [{ from: tag.end, to: until, text: this.#styleOf(html.slice(tag.end, until), base) }];
    }
    const isLoaded = /^(?:link|image|use)$/.test(tag.name);
    return [...attributes(text)].flatMap(({ name, value, from, to }) => {
      const was = decodeEntities(value);
      const made = this.#valueOf(name, was, isLoaded, address, base);
      return made === was ? [] : [{ from: tag.at + from, to: tag.at + to, text: `"${escapeMarkup(made).replaceAll('"', "&quot;")}"` }];
    });
  }

  /** The value of an attribute. `isLoaded`: of an element that loads what it links to. */
  #valueOf(name: string, value: string, isLoaded: boolean, address: string, base: string): string {
    // It would not be right any more.
    if (name === "integrity" && isLoaded) return "";
    if (name === "style") return this.#styleOf(value, base);
    if (name === "srcset") return this.#sizesOf(value, base);
    if (loading.has(name) || (name === "href" && isLoaded)) return this.#loaded(value, base);
    return leading.has(name) ? linkFrom(value, address, base) : value;
  }

  #styleOf(css: string, base: string): string {
    return css.replace(references, (whole: string, ...found: (string | undefined)[]) => {
      const address = found.slice(0, 5).find((each) => each !== undefined) ?? "";
      const made = this.#loaded(address, base);
      return made === address ? whole : whole.startsWith("@") ? `@import url("${made}")` : `url("${made}")`;
    });
  }

  /** Pictures of several sizes, each with its width or density. */
  #sizesOf(pictures: string, base: string): string {
    return pictures.replace(/(\s[\d.]{1,9}[wxh]),/g, "$1, ").replace(/[^\s]+/g, (each) => {
      if (/^[\d.]+[wxh],?$/.test(each)) return each;
      return each.endsWith(",") ? `${this.#loaded(each.slice(0, -1), base)},` : this.#loaded(each, base);
    });
  }

  /** A data: URL of the part at an address; the full address if there is none. */
  #loaded(address: string, base: string): string {
    const part = this.find(address.trim(), base);
    if (part === undefined) return fullOf(address, base);
    const made = this.#made.get(part) ?? this.#dataOf(part);
    this.#made.set(part, made);
    this.#bytes += made.length;
    if (this.#bytes > mostBytes) throw tooComplex("The saved page with all its resources is larger than a conversion may make.");
    return made;
  }

  #dataOf(part: Part): string {
    // A frame or style sheet that loads itself.
    this.#made.set(part, "about:blank");
    this.used.add(part);
    const told = part.contentType.parsed.value.toLowerCase();
    const type = /^[\w.+-]{1,99}\/[\w.+-]{1,99}$/.test(told) ? told : "application/octet-stream";
    if (!isPage(part) && type !== "text/css")
      return `data:${type};base64,${Buffer.from(part.content ?? new ArrayBuffer(0)).toString("base64")}`;
    this.#texts += 1;
    if (this.#texts > maxTexts) throw tooComplex(`The saved page has more than ${maxTexts} frames and style sheets.`);
    const made = isPage(part) ? this.pageOf(part) : this.#styleOf(this.#textOf(part), keyOf(locationIn(part.headers), this.#home));
    return `data:${type};charset=utf-8;base64,${Buffer.from(made).toString("base64")}`;
  }

  #textOf({ content, contentType }: Part): string {
    const bytes = new Uint8Array(content ?? new ArrayBuffer(0));
    return decodeDeclared(bytes, contentType.parsed.params["charset"] ?? metaOf(bytes), this.#notes).replace(/^\ufeff/, "");
  }
}

/** An address without its fragment, as it is looked up. */
function keyOf(address: string, base: string): string {
  return (URL.parse(address, base)?.href ?? address).replace(/#.*$/s, "");
}

/** Relative addresses of what was not saved lead where they led before. */
function fullOf(address: string, base: string): string {
  const full = address.trim() === "" || address.startsWith("#") ? undefined : URL.parse(address.trim(), base);
  return full !== null && full !== undefined && /^https?:$/.test(full.protocol) && full.host !== "page.invalid" && !URL.canParse(address)
    ? full.href
    : address;
}

/** Links within the page stay there. */
function linkFrom(link: string, page: string, base: string): string {
  const fragment = link.indexOf("#");
  if (fragment > 0 && keyOf(link, base) === page.replace(/#.*$/s, "")) return link.slice(fragment);
  return fullOf(link, base);
}
