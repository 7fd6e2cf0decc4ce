/**
 * Headings of a Word document that Pandoc takes for text, because it considers only style names: paragraphs with an outline level of their
 * own, as converters from RTF write them, or of a style with another name.
 */

/** Longer paragraphs are not headings: in contracts, every clause may have an outline level. */
const longest = 200;
/** A level from 0 is in the outline, 9 is text. @see ECMA-376, part 1, 17.3.1.20 */
const levelIn = /<w:outlineLvl w:val="([0-8])"/;
/** Markdown and HTML have six. */
const deepest = 6;
const known = /^(?:heading|title|subtitle|toc)\b/i;
const styleOf = (level: number): string => `FilemillHeading${level}`;

export const headingStyles = Array.from({ length: deepest }, (_, place) => {
  const name = `<w:name w:val="heading ${place + 1}"/>`;
  return `<w:style w:type="paragraph" w:styleId="${styleOf(place + 1)}">${name}</w:style>`;
}).join("");

/** The paragraph in another style. */
export function inStyle(paragraph: string, id: string): string {
  const style = `<w:pStyle w:val="${id}"/>`;
  if (paragraph.includes("<w:pStyle ")) return paragraph.replace(/<w:pStyle w:val="[^"]{0,200}" ?\/>/, () => style);
  if (paragraph.includes("<w:pPr>")) return paragraph.replace("<w:pPr>", () => `<w:pPr>${style}`);
  return paragraph.replace(/^<w:p(?: [^>]{0,400})?>/, (tag) => `${tag}<w:pPr>${style}</w:pPr>`);
}

/** Undefined where there are none. */
export function withHeadings(document: string, sheet: string): string | undefined {
  const styles = outlineOf(sheet);
  let [tables, hasChanged] = [0, false];
  const paragraphs = document.split("</w:p>").map((paragraph) => {
    tables += paragraph.split("<w:tbl>").length - paragraph.split("</w:tbl>").length;
    const start = Math.max(paragraph.lastIndexOf("<w:p>"), paragraph.lastIndexOf("<w:p "));
    // Markdown cannot express a table with a heading in a cell.
    if (tables > 0 || start < 0) return paragraph;
    const own = paragraph.slice(start);
    const level = levelOf(own, styles);
    if (level === undefined) return paragraph;
    hasChanged = true;
    return paragraph.slice(0, start) + inStyle(own, styleOf(level));
  });
  return hasChanged ? paragraphs.join("</w:p>") : undefined;
}

/** The outline levels of styles by id; undefined for those whose names Pandoc knows. */
function outlineOf(sheet: string): ReadonlyMap<string, string | undefined> {
  const outline = new Map<string, string | undefined>();
  for (const style of sheet.split("<w:style ").slice(1)) {
    const id = /w:styleId="([^"]{0,200})"/.exec(style.slice(0, 600))?.[1] ?? "";
    const name = /<w:name w:val="([^"]{0,200})"/.exec(style)?.[1] ?? "";
    const level = levelIn.exec(style)?.[1];
    if (known.test(name)) outline.set(id, undefined);
    else if (level !== undefined) outline.set(id, level);
  }
  return outline;
}

/** From 1; undefined for a paragraph that is not a heading, or that Pandoc already recognises as one. */
function levelOf(paragraph: string, styles: ReadonlyMap<string, string | undefined>): number | undefined {
  const told = paragraph.slice(0, paragraph.indexOf("</w:pPr>") + 1);
  const style = /<w:pStyle w:val="([^"]{0,200})"/.exec(told)?.[1] ?? "";
  if (styles.has(style) && styles.get(style) === undefined) return undefined;
  const direct = /<w:outlineLvl w:val="(\d)"/.exec(told)?.[1];
  const level = direct === "9" ? undefined : (direct ?? styles.get(style));
  if (level === undefined) return undefined;
  const letters = paragraph.replace(/<[^<>]*>/g, "").trim().length;
  return letters === 0 || letters > longest ? undefined : Math.min(deepest, Number(level) + 1);
}
