/** The text of a page: every word as written, one line for a row of a table. */
import { compile, type FormatCallback } from "html-to-text";
import type { Notes } from "../exchange.ts";

const cut = "\ufdd1";
const asWritten = { uppercase: false };

/** Each one lengthens every line inside it, so a small page with many could become an enormous text. */
const indenting: Readonly<Record<string, string>> = { blockquote: "blockquote", ul: "unorderedList", ol: "orderedList" };
const maxIndents = 100;
let indents = 0;

const indented: FormatCallback = (element, walk, builder, options) => {
  const format = indents < maxIndents ? (indenting[element.name ?? ""] ?? "block") : "block";
  indents += 1;
  try {
    builder.options.formatters?.[format]?.(element, walk, builder, options);
  } finally {
    indents -= 1;
  }
};

const convert = compile({
  wordwrap: false,
  // Each quotation of a long thread is some levels deeper.
  limits: { maxInputLength: 2 ** 26, maxDepth: 1000, ellipsis: cut },
  formatters: {
    indented,
    cell(element, walk, builder) {
      walk(element.children, builder);
      builder.addInline(" ");
    },
  },
  selectors: [
    { selector: "img", format: "skip" },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: asWritten })),
    { selector: "tr", format: "block", options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: "td", format: "cell" },
    { selector: "th", format: "cell" },
    ...Object.keys(indenting).map((selector) => ({ selector, format: "indented" })),
    ...["li", "option", "summary", "details", "caption", "dt", "dd", "legend"].map((selector) => ({ selector, format: "block" })),
  ],
});

export function textOfHtml(html: string, notes: Notes): string {
  const text = convert(html);
  if (!text.includes(cut)) return text.trimEnd();
  notes.set("TEXT_LEFT_OUT", "Text that is nested more than 1000 levels deep was left out.");
  return text.replaceAll(cut, "").trimEnd();
}
