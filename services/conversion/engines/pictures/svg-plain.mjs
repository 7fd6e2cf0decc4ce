// A drawing as libvips reads it right: it takes only UTF-8, and its resolution scales px but not mm, so that they drift apart.

const declared = /^\s{0,99}<\?xml\s[^<>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["'][^<>]{0,200}>/;
const marks = /<style[\s>][^<]*(?:<!\[CDATA\[[^<]*)?|<\w[^<>]*>/g;
const lengths = /(?<=["':\s,(])([+-]?(?:\d{1,12}(?:\.\d{0,20})?|\.\d{1,20})(?:e[+-]?\d{1,3})?)(mm|cm|in|pt|pc)(?=["';\s,)}!/])/gi;
/** @see https://www.w3.org/TR/css-values-3/#absolute-lengths */
const perInch = new Map([
  ["mm", 25.4],
  ["cm", 2.54],
  ["in", 1],
  ["pt", 72],
  ["pc", 6],
]);

/** librsvg believes what an address says of its picture, browsers look at the picture. */
const mislabelled =
  /\bdata:image\/(?:(?!jpe?g;)[\w.+-]{1,20};base64,(?=\s{0,99}\/9j\/)|(?!png;)[\w.+-]{1,20};base64,(?=\s{0,99}iVBORw0KGgo))/g;

/** For this generic name fontconfig offers a font of ornaments, in which text cannot be read. */
const ornaments = /(\bfont-family\s{0,9}[:=](?:[^;<>]{0,200}[,"'])?\s{0,9})fantasy(?=\s{0,9}["';,}])/gi;

/** @param {string} part */
function asInBrowsers(part) {
  const toPixels = (_, number, unit) => `${Number(((number * 96) / perInch.get(unit.toLowerCase())).toFixed(6))}px`;
  return part.replace(lengths, toPixels).replace(ornaments, "$1serif");
}

/** @param {Buffer} bytes */
function textOf(bytes) {
  const wide = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
  const [whole = "", name = "utf-8"] = (wide === undefined && declared.exec(bytes.toString("latin1", 0, 500))) || [];
  // What can be read by single bytes is not UTF-16, whatever it says, as .NET does.
  const label = /^utf-?16/i.test(name) ? "utf-8" : name;
  const text = new TextDecoder(wide ?? label, { fatal: true }).decode(bytes);
  return wide === undefined ? text.slice(whole.length) : text.replace(declared, "");
}

/** In UTF-8, with lengths in px and embedded pictures as a browser takes them; as it is if it cannot be decoded. @param {Buffer} bytes */
export function plainSvg(bytes) {
  try {
    return Buffer.from(textOf(bytes).replace(marks, asInBrowsers).replace(mislabelled, "data:;base64,"));
  } catch {
    return bytes;
  }
}
