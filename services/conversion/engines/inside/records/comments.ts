/** Comments, which no other format keeps. */
import { type Notes, noteOnce } from "../exchange.ts";

const ends: Readonly<Record<string, string>> = { "//": "\n", "#": "\n", "/*": "*/", "<!--": "-->", "<?": "?>", "<![CDATA[": "]]>" };

/** What starts a comment or a string, which may hold what looks like a comment; and the strings with escapes. */
const syntaxes = {
  json5: { start: /["']|\/\/|\/\*/g, escaping: `"'` },
  toml: { start: /"""|'''|["'#]/g, escaping: '"""' },
  xml: { start: /<!\[CDATA\[|<!--|<\?(?!xml\s)/g, escaping: "" },
} as const;

/** Of a text that has been read, and so is valid. */
export function noteComments(text: string, format: keyof typeof syntaxes, notes: Notes): void {
  const { start, escaping } = syntaxes[format];
  for (let at = 0; ; ) {
    start.lastIndex = at;
    const found = start.exec(text);
    if (found === null) return;
    const [mark] = found;
    const end = ends[mark] ?? mark;
    at = endOfText(text, end, found.index + mark.length, escaping.includes(mark));
    if (end === mark || mark === "<![CDATA[") continue;
    noteComment(text.slice(found.index, at), notes);
    return;
  }
}

/** The place after the end of a comment or string, or after the whole text. In linear time. */
export function endOfText(text: string, end: string, from: number, hasEscapes: boolean): number {
  let at = text.indexOf(end, from);
  while (hasEscapes && at >= 0 && isEscaped(text, at)) at = text.indexOf(end, at + 1);
  if (at < 0) return text.length;
  at += end.length;
  // Of more quotation marks at the end of a long string, the last three end it.
  while ((end === '"""' || end === "'''") && text.charAt(at) === end.charAt(0)) at += 1;
  return at;
}

/** Preceded by an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charAt(start - 1) === "\\") start -= 1;
  return (at - start) % 2 === 1;
}

export function noteComment(comment: string, notes: Notes): void {
  noteOnce(notes, "METADATA_DROPPED", `Comments were left out, first “${comment.trim().slice(0, 60)}”.`);
}
