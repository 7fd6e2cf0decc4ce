// What librsvg does not draw.

const links = /[\s:](?:href|src)\s{0,99}=\s{0,99}["'](?!#|data:)/i;
const styles = /url\((?!\s{0,99}["']?\s{0,99}(?:#|data:))|@import|<\?xml-stylesheet\b/i;
const elements = /<(?:\w{1,40}:)?([a-zA-Z]\w{0,40})[\s/][^<]*/g;
const embeddedKinds = /\bhref\s{0,9}=\s{0,9}["']\s{0,9}data:image\/(\w{1,9})[;,]/g;
/** A picture of another kind than its address says; librsvg believes the address. */
const mislabelled = /\bdata:image\/(?:(?!jpe?g;)[\w.+-]{1,20};base64,\s{0,99}\/9j\/|(?!png;)[\w.+-]{1,20};base64,\s{0,99}iVBORw0KGgo)/;
/** Illustrator keeps its own data in one that no other program draws. */
const html = /<(?:\w{1,40}:)?foreignObject(?![^<>]{0,400}\srequiredExtensions\s{0,9}=\s{0,9}["'](?:&ns_ai;|http:\/\/ns\.adobe\.))[\s/>]/;
/** @type {readonly (readonly [RegExp, string])[]} */
const textRows = [
  [html, "HTML (foreignObject)"],
  [/<(?:\w{1,40}:)?textPath[\s/>]/, "text on paths (textPath)"],
  [/\ssystemLanguage\s{0,99}=/, "parts for some languages (systemLanguage)"],
];
const listedLetters =
  /<(?:\w{1,40}:)?(?:text|tspan)(?=\s)[^<>]{0,2000}?\s(?:rotate\s{0,9}=|d?[xy]\s{0,9}=\s{0,9}["']\s{0,9}[^"'\s,<]{1,40}[\s,]{1,9}[^"'\s])/;
const fadedSymbol = /<(?:\w{1,40}:)?symbol(?=\s)[^<>]{0,2000}?[\s"';]opacity\s{0,9}[:=](?!\s{0,9}["']?\s{0,9}1\s{0,9}["';])/;
const background =
  /<(?:\w{1,40}:)?svg\s[^<>]{0,9999}?\sstyle\s{0,9}=\s{0,9}(?:"|'|["'][^"'<>]{0,999}?[;\s])background(?:-color)?\s{0,9}:\s{0,9}(?!none|transparent|in|\s)/;
/** @type {readonly (readonly [RegExp, string])[]} */
const styleRows = [
  [/\btransform-origin\s{0,9}[:=]/, "transform-origin"],
  [/\btextLength\s{0,9}=/, "textLength"],
  [listedLetters, "places of single letters"],
  [background, "background of the page"],
  [fadedSymbol, "opacity of symbols"],
];

/**
 * Messages by code, empty without anything to say. `kinds`: of embedded pictures that this librsvg does not read.
 *
 * @param {string} svg
 * @param {readonly string[]} kinds
 */
export function undrawnIn(svg, kinds) {
  /** @param {string} verb @param {readonly string[]} found */
  const told = (verb, found) => (found.length === 0 ? "" : `${verb}: ${found.join(", ")}.`);
  /** @param {readonly (readonly [RegExp, string])[]} rows */
  const named = (rows) => rows.filter(([pattern]) => pattern.test(svg)).map(([, name]) => name);
  const embedded = new Set([...svg.matchAll(embeddedKinds)].map(([, kind = ""]) => kind));
  if (mislabelled.test(svg)) embedded.add("of another kind than stated");
  return {
    TEXT_LEFT_OUT: told("Not drawn", named(textRows)),
    IMAGES_REMOVED: told(
      "Embedded pictures not drawn",
      kinds.filter((kind) => embedded.has(kind)),
    ),
    STYLING_DROPPED: told("Ignored", [...named(styleRows), ...(hasOpenPicture(svg) ? ["width of pictures without a height"] : [])]),
  };
}

/** Whether the height of a picture follows from its width. @param {string} svg */
function hasOpenPicture(svg) {
  for (const [element, name] of svg.matchAll(elements)) {
    if (name === "image" && /\swidth\s{0,9}=/.test(element) && !/\sheight\s{0,9}=/.test(element)) return true;
  }
  return false;
}

/** Whether parts of a drawing are elsewhere. Pages to which it only leads are none. @param {string} svg */
export function needsOthers(svg) {
  if (styles.test(svg)) return true;
  for (const [element, name] of svg.matchAll(elements)) if (name !== "a" && links.test(element)) return true;
  return false;
}
