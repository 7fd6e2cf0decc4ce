/** Alternatives of a Word document, of which Pandoc reads none but drawings: Word writes each emoji as a sign that only later versions know, and as text. */

const [start, end] = ["<mc:AlternateContent>", "</mc:AlternateContent>"] as const;
const shapes = /<w:(?:drawing|pict|object)[ >]/;
const texts = /<(?:w:(?:t|p|tbl)|m:oMath)[ >]/;

/** The document with the text of such alternatives in their place. @see ECMA-376, part 3, markup compatibility */
export function withChoices(document: string): string {
  const [before = "", ...parts] = document.split(start);
  return before + parts.map(chosen).join("");
}

function chosen(part: string): string {
  const at = part.indexOf(end);
  const inside = part.slice(0, Math.max(at, 0));
  const text = shapes.test(inside) ? undefined : [within(inside, "Choice"), within(inside, "Fallback")].find((each) => texts.test(each));
  return text === undefined ? start + part : text + part.slice(at + end.length);
}

function within(text: string, name: string): string {
  const from = text.indexOf(">", Math.max(text.indexOf(`<mc:${name}`), 0)) + 1;
  const to = text.indexOf(`</mc:${name}>`);
  return text.includes(`<mc:${name}`) && to > from ? text.slice(from, to) : "";
}
