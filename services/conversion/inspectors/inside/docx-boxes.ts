/** Text of a Word document that Pandoc omits: in boxes, drawn, in simple fields, of another direction, and marked for other programs. */
import { attributeOf } from "./counts/markup.ts";

const wrappers = /<\/?w:(?:fldSimple|customXml|smartTag|bdo|dir)(?=[ >])[^<>]*>/g;
const fallbacks = /<(\/?)mc:Fallback(?=[ >/])[^<>]*>/g;
const marks = /<(\/?)w:(p|txbxContent)(?=[ >/])[^<>]*>/g;

/** Drawn text, such as WordArt of earlier versions. */
const wordArt = /<v:textpath [^<>]*>/g;
const boxOf = (text: string): string => `<w:txbxContent><w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p></w:txbxContent>`;

/** The document with the paragraphs of each box moved after the paragraph that contains it. Undefined if nothing is omitted. */
export function withBoxes(document: string): string | undefined {
  const plain = document.replace(wrappers, "").replace(wordArt, (tag) => tag + boxOf(attributeOf(tag, "string") ?? ""));
  const made = plain.includes("<w:txbxContent") ? lifted(withoutFallbacks(plain)) : plain;
  return made === document ? undefined : made;
}

/** The fallback that older programs show instead of a drawing repeats its text. @see ECMA-376, part 3, markup compatibility */
function withoutFallbacks(document: string): string {
  let [kept, depth, at] = ["", 0, 0];
  for (const { 0: tag, 1: isEnd, index } of document.matchAll(fallbacks)) {
    if (depth === 0) kept += document.slice(at, index);
    if (!tag.endsWith("/>")) depth += isEnd === "" ? 1 : -1;
    at = index + tag.length;
    if (depth < 0) return document;
  }
  return depth === 0 ? kept + document.slice(at) : document;
}

type Open = { text: string; boxes: string };

function lifted(document: string): string {
  const open: Open[] = [{ text: "", boxes: "" }];
  const top = (): Open => open.at(-1) ?? { text: "", boxes: "" };
  let at = 0;
  for (const mark of document.matchAll(marks)) {
    const [tag, isEnd, name] = mark;
    top().text += document.slice(at, mark.index);
    at = mark.index + tag.length;
    if (name === "p" && tag.endsWith("/>")) top().text += tag;
    else if (isEnd === "") open.push({ text: name === "p" ? tag : "", boxes: "" });
    else {
      const { text, boxes } = open.pop() ?? { text: "", boxes: "" };
      if (open.length === 0) return document;
      // A box is placed after the paragraph that contains it, together with the boxes inside it.
      if (name === "p") top().text += `${text}${tag}${boxes}`;
      else top().boxes += text + boxes;
    }
  }
  const [whole] = open;
  return open.length === 1 && whole !== undefined ? whole.text + document.slice(at) : document;
}

/** Whether the document has shapes without text, such as lines and arrows, which Pandoc leaves out without a word. */
export function hasDrawings(document: string): boolean {
  const drawn = /<wps:wsp[ >]/.test(document) ? /<wps:wsp[ >]/ : /<v:(?:line|oval|rect|roundrect|polyline|arc|curve|shape)[ >]/;
  const isText = /<w:txbxContent[ >/]|<v:(?:imagedata|textpath) |\bo:hr="t"/;
  const shapes = document.split(drawn).slice(1);
  return shapes.some((shape) => !isText.test(shape.split(/<\/(?:wps:wsp|w:pict|w:object)>/, 1)[0] ?? ""));
}
