/** Reformats white space between XML elements. Text, mixed content and every tag stay unchanged. */
import { assertXml } from "./xml.ts";

type Element = { readonly start: string; end: string; isMixed: boolean; readonly children: (Element | string)[] };

export function rewriteXml(text: string, indent: number): string {
  assertXml(text);
  const root: Element = { start: "", end: "", isMixed: false, children: [] };
  const open = [root];
  for (const part of piecesOf(text)) {
    const inner = open.at(-1) ?? root;
    if (part.startsWith("</")) {
      inner.end = part;
      if (open.length > 1) open.pop();
    } else if (/^<[^!?]/.test(part) && !part.endsWith("/>")) {
      const keeps = inner.isMixed || /\sxml:space\s*=\s*["']preserve["']/.test(part);
      const element: Element = { start: part, end: "", isMixed: keeps, children: [] };
      inner.children.push(element);
      open.push(element);
    } else {
      if (!part.startsWith("<") || part.startsWith("<![CDATA[")) inner.isMixed ||= part.trim() !== "" && inner !== root;
      inner.children.push(part);
    }
  }
  // The declaration named the source's encoding; the result is UTF-8.
  const lines = linesOf(root.children, "", " ".repeat(indent)).map((line) =>
    line.replace(/^(<\?xml[^>]*?encoding\s*=\s*)["'][^"']*["']/, '$1"UTF-8"'),
  );
  return `${lines.join(indent === 0 ? "" : "\n")}\n`;
}

/** Tags, comments, CDATA sections and instructions as units, and the text between them. An unclosed one extends to the end. */
function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.charAt(at) === "<" ? markupEnd(text, at) : text.indexOf("<", at);
    const next = end < 0 ? text.length : end;
    yield text.slice(at, next);
    at = next;
  }
}

function markupEnd(text: string, at: number): number {
  const after = (mark: string): number => {
    const place = text.indexOf(mark, at);
    return place < 0 ? -1 : place + mark.length;
  };
  if (text.startsWith("<!--", at)) return after("-->");
  if (text.startsWith("<![CDATA[", at)) return after("]]>");
  if (text.startsWith("<?", at)) return after("?>");
  let quote = "";
  let depth = 0;
  for (let place = at + 1; place < text.length; place += 1) {
    const letter = text.charAt(place);
    if (quote !== "") quote = letter === quote ? "" : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    // The internal subset of a document type declaration.
    else if (letter === "[") depth += 1;
    else if (letter === "]") depth -= 1;
    else if (letter === ">" && depth <= 0) return place + 1;
  }
  return -1;
}

function linesOf(children: readonly (Element | string)[], margin: string, step: string): string[] {
  return children.flatMap((child) => {
    if (typeof child === "string") return child.trim() === "" ? [] : [margin + child.trim()];
    const { start, end, isMixed, children: inner } = child;
    const elements = inner.filter((each) => typeof each !== "string" || each.trim() !== "");
    // White space alone may be the element's content.
    if (isMixed || elements.length === 0) return [margin + start + verbatim(inner) + end];
    return [margin + start, ...linesOf(inner, margin + step, step), margin + end];
  });
}

function verbatim(children: readonly (Element | string)[]): string {
  return children.map((child) => (typeof child === "string" ? child : child.start + verbatim(child.children) + child.end)).join("");
}
