/** Formulas on lines of their own, which Pandoc reads only alone in a paragraph, and if the document names their vocabulary at its root. */
const vocabulary = ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';

export function withFormulas(document: string): string {
  if (!document.includes("<m:oMathPara")) return document;
  // The office names it at each formula.
  const named = document.replace(/<w:document [^<>]*/, (tag) => (tag.includes(" xmlns:m=") ? tag : tag + vocabulary));
  return named
    .split("</w:p>")
    .map((text) => {
      const own = text.slice(Math.max(text.lastIndexOf("<w:p>"), text.lastIndexOf("<w:p ")));
      const isAlone =
        own.split("</m:oMathPara>").length < 3 && !/<w:(?:t(?: [^<>]*)?>[^<]|sym |drawing|pict|object|(?:foot|end)noteReference)/.test(own);
      return isAlone ? text : text.replace(/<\/?m:oMathPara(?: [^<>]*)?>/g, "");
    })
    .join("</w:p>");
}
