/** Writes blocks as an HTML page, which every other document engine reads. */
import { isSame } from "./inlines.ts";
import type { Said } from "./read.ts";
import type { Block, Cell, Inline, Note } from "./tree.ts";

const style =
  "body{max-width:50em;margin:2em auto;padding:0 1em;font-family:sans-serif;line-height:1.5}table{border-collapse:collapse}" +
  "th,td{border:1px solid #999;padding:.2em .5em;text-align:left;vertical-align:top}pre{overflow-x:auto}img{max-width:100%}";

export function htmlOf(blocks: readonly Block[], { title, language: given, author, subject, keywords }: Said): string {
  const language = given === undefined || !/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/.test(given) ? "" : ` lang="${given}"`;
  // No title is made up: it would appear at the top of every Markdown file.
  const named = title === undefined ? "" : `<title>${escaped(title)}</title>\n`;
  const told = Object.entries({ author, subject, keywords }).map(([name, value]) =>
    value === undefined ? "" : `<meta name="${name}" content="${escaped(value, inAttributes)}">\n`,
  );
  const head = `<meta charset="utf-8">\n${named}${told.join("")}<style>${style}</style>`;
  const notes: Note[] = [];
  // Formats that cannot be empty need at least a blank paragraph.
  const body = blocks.length === 0 ? "<p>&#160;</p>" : blocks.map((block) => blockOf(block, notes)).join("\n");
  return `<!DOCTYPE html>\n<html${language}>\n<head>\n${head}\n</head>\n<body>\n${body}\n${notesOf(notes)}</body>\n</html>\n`;
}

/** In pandoc's markup for footnotes, which it also reads. */
function notesOf(notes: readonly Note[]): string {
  if (notes.length === 0) return "";
  const items = notes.map(({ blocks }, index) => {
    const back = `<a href="#fnref${index + 1}" class="footnote-back" role="doc-backlink">↩︎</a>`;
    const own = blocks.map((block) => blockOf(block, [])).join("\n");
    const text = own.endsWith("</p>") ? `${own.slice(0, -4)}${back}</p>` : `${own}\n<p>${back}</p>`;
    return `<li id="fn${index + 1}" role="doc-endnote">${text}</li>`;
  });
  return `<section class="footnotes" role="doc-endnotes">\n<hr>\n<ol>\n${items.join("\n")}\n</ol>\n</section>\n`;
}

const inAttributes = /[&<>"]/g;
const replacements: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** For text or, with quotation marks, for an attribute. */
function escaped(text: string, letters = /[&<>]/g): string {
  // Characters that XML and HTML do not allow.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removes exactly these
  return text.replace(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, "").replace(letters, (letter) => replacements[letter] ?? letter);
}

function blockOf(block: Block, notes: Note[]): string {
  const blocksOf = (blocks: readonly Block[]) => blocks.map((each) => blockOf(each, notes)).join("\n");
  if (block.kind === "heading") return `<h${block.level}>${inlinesOf(block.inlines, notes)}</h${block.level}>`;
  if (block.kind === "paragraph") return `<p>${inlinesOf(block.inlines, notes)}</p>`;
  if (block.kind === "code") return `<pre><code>${escaped(block.text)}</code></pre>`;
  if (block.kind === "quote") return `<blockquote>\n${blocksOf(block.blocks)}\n</blockquote>`;
  if (block.kind === "table") return tableOf(block.rows, notes);
  if (block.kind === "picture") {
    const { png, box } = block.picture;
    const size = `width="${Math.round(((box.right - box.left) * 4) / 3)}" height="${Math.round(((box.bottom - box.top) * 4) / 3)}"`;
    return `<p><img src="data:image/png;base64,${Buffer.from(png).toString("base64")}" alt="${escaped(block.alt, inAttributes)}" ${size}></p>`;
  }
  const name = block.start === undefined ? "ul" : "ol";
  const start = block.start === undefined || block.start === 1 ? "" : ` start="${block.start}"`;
  const isLoose = block.items.some(({ blocks }) => blocks.filter(({ kind }) => kind === "paragraph").length > 1);
  const items = block.items.map(({ blocks }) => `<li>${isLoose ? blocksOf(blocks) : tight(blocks, notes)}</li>`);
  return `<${name}${start}>\n${items.join("\n")}\n</${name}>`;
}

/** A lone paragraph is written without its tag. */
function tight(blocks: readonly Block[], notes: Note[]): string {
  return blocks.map((block) => (block.kind === "paragraph" ? inlinesOf(block.inlines, notes) : blockOf(block, notes))).join("\n");
}

function tableOf(rows: readonly (readonly Cell[])[], notes: Note[]): string {
  const heads = rows.findIndex((row) => row.some(({ isHead }) => !isHead));
  const count = heads === -1 ? Math.min(1, rows.length) : heads;
  const lines = (some: readonly (readonly Cell[])[]) =>
    some.map((row) => `<tr>${row.map((cell) => cellOf(cell, notes)).join("")}</tr>`).join("\n");
  const head = count === 0 ? "" : `<thead>\n${lines(rows.slice(0, count))}\n</thead>\n`;
  return `<table>\n${head}<tbody>\n${lines(rows.slice(count))}\n</tbody>\n</table>`;
}

/** A head cell is bold by default. */
const plain = (block: Block): Block =>
  block.kind === "paragraph" ? { ...block, inlines: block.inlines.map(({ isBold: _, ...inline }) => inline) } : block;

function cellOf({ isHead, blocks: own, columns = 1 }: Cell, notes: Note[]): string {
  const name = isHead ? "th" : "td";
  const blocks = isHead ? own.map(plain) : own;
  return `<${name}${columns > 1 ? ` colspan="${columns}"` : ""}>${blocks.length === 1 ? tight(blocks, notes) : blocks.map((block) => blockOf(block, notes)).join("\n")}</${name}>`;
}

/** Font sizes are not written: inlines that differ in nothing else are merged. */
function inlinesOf(inlines: readonly Inline[], notes: Note[]): string {
  const merged: Inline[] = [];
  for (const { size: _, ...inline } of inlines) {
    const last = merged.at(-1);
    if (
      last !== undefined &&
      last.note === undefined &&
      inline.note === undefined &&
      last.text !== "\n" &&
      inline.text !== "\n" &&
      isSame(last, inline)
    )
      merged.splice(-1, 1, { ...last, text: last.text + inline.text });
    else merged.push(inline);
  }
  return merged.map((inline) => inlineOf(inline, notes)).join("");
}

/** The markup brings its own line break. */
const lineEnd = "<br>\n";

function inlineOf({ text, isBold, isItalic, isCode, isRaised, href, note }: Inline, notes: Note[]): string {
  if (note !== undefined) {
    const number = notes.push(note);
    return `<a href="#fn${number}" class="footnote-ref" id="fnref${number}" role="doc-noteref"><sup>${number}</sup></a>`;
  }
  if (text === "\n") return lineEnd;
  let html = escaped(text);
  if (isCode === true) html = `<code>${html}</code>`;
  if (isItalic === true) html = `<em>${html}</em>`;
  if (isBold === true) html = `<strong>${html}</strong>`;
  if (isRaised === true) html = `<sup>${html}</sup>`;
  return href === undefined ? html : `<a href="${escaped(href, inAttributes)}">${html}</a>`;
}
