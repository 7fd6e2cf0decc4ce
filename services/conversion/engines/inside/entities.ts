/** Escapes: character references of HTML and XML, and those of addresses. */

/** HTML entity names of the characters from U+00A0 on, in order. */
const latin1 = (
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 " +
  "ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc " +
  "Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml " +
  "aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave " +
  "uacute ucirc uuml yacute thorn yuml"
).split(" ");

const named: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...Object.fromEntries(latin1.map((name, index) => [name, String.fromCharCode(0xa0 + index)])),
    ...{ ndash: "–", mdash: "—", lsquo: "‘", rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”", bdquo: "„", bull: "•", hellip: "…" },
    ...{ euro: "€", trade: "™", OElig: "Œ", oelig: "œ", Scaron: "Š", scaron: "š", amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" },
    ...{ lrm: "\u200e", rlm: "\u200f" },
  }),
);

/** References that are unknown, or to no character, stay as they are. */
export function decodeEntities(text: string): string {
  return text.replace(/&(#x[\da-f]+|#\d+|[a-z]+\d{0,2});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return named.get(name) ?? named.get(name.toLowerCase()) ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}

export const escapeMarkup = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The text of an address with percent signs; unchanged if they escape nothing. */
export function withoutEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
