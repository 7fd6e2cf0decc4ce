/** Comments, which no other format keeps. Each pattern also matches the strings of its format, because they may look like comments. */
import { type Notes, noteOnce } from "../exchange.ts";

const patterns = {
  json5: /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|(\/\/.*|\/\*[\s\S]*?\*\/)/g,
  toml: /"""(?:[^\\]|\\[\s\S])*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(#.*)/g,
  xml: /<!\[CDATA\[[\s\S]*?\]\]>|(<!--[\s\S]*?-->|<\?(?!xml\s)[\s\S]*?\?>)/g,
  ini: /^[ \t]*([;#].*)/gm,
} as const;

/** Of a text that has been read, and so is valid. */
export function noteComments(text: string, format: keyof typeof patterns, notes: Notes): void {
  for (const [, comment] of text.matchAll(patterns[format])) {
    if (comment === undefined) continue;
    noteComment(comment, notes);
    return;
  }
}

export function noteComment(comment: string, notes: Notes): void {
  noteOnce(notes, "METADATA_DROPPED", `Comments were left out, first “${comment.trim().slice(0, 60)}”.`);
}
