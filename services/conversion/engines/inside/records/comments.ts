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
    at = after(text, end, found.index + mark.length);
    while (escaping.includes(mark) && isEscaped(text, at - end.length)) at = after(text, end, at - end.length + 1);
    if (end === mark || mark === "<![CDATA[") continue;
    noteComment(text.slice(found.index, at), notes);
    return;
  }
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  return at < 0 ? text.length : at + end.length;
}

/** Preceded by an odd number of backslashes. */
export function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charAt(start - 1) === "\\") start -= 1;
  return (at - start) % 2 === 1 && at < text.length;
}

export function noteComment(comment: string, notes: Notes): void {
  noteOnce(notes, "METADATA_DROPPED", `Comments were left out, first “${comment.trim().slice(0, 60)}”.`);
}
