/** Names, headers and small files that once stopped the main process before any engine saw them: one pattern that backtracks is enough. */
import type { Upload } from "#test/harness/rest.ts";

export type FrontAttack = { readonly id: string; readonly what: string; readonly upload: Upload };

const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, "latin1"));

const table: readonly (readonly [what: string, upload: Upload])[] = [
  ["a bitmap of comments", { to: "pam", name: "a.pbm", file: bytes(`P1 ${"# ".repeat(60)}x`) }],
  ["a playlist of comments", { to: "wav", name: "a.mp3", query: "?from=mp3", file: bytes(`<?xml?>${"<!---->".repeat(60)}<x`) }],
  ["a width of blanks", { to: "png", name: "a.svg", file: bytes(`<svg width="1${" ".repeat(30_000)}">`) }],
  ["drawings that do not end", { to: "png", name: "a.svg", file: bytes("<svg ".repeat(13_100)) }],
  ["RTF that is all escapes", { to: "txt", name: "a.rtf", file: bytes(`{\\rtf1\\mac ${"\\'8e".repeat(1_000_000)}}`) }],
  ["a name of blanks", { name: `${" ".repeat(10_000)}.png`, query: "?download=1" }],
  ["a name of dots", { name: `${". ".repeat(5000)}.png`, query: "?download=1" }],
  ["a target of blanks", { to: " ".repeat(1000) }],
  ["a query of signs", { query: `?${"a=%20&".repeat(60)}${"b".repeat(60)}=${"+".repeat(8000)}` }],
  ["an Accept header of commas", { headers: { accept: `application/problem+json${",;q=".repeat(3000)}` } }],
  ["a Prefer header of signs", { headers: { prefer: `wait=${" ".repeat(6000)},${"a=".repeat(2000)}` } }],
  ["a cookie of signs", { headers: { cookie: "a=;".repeat(4000) } }],
  ["a list of tags", { headers: { "if-none-match": '"'.repeat(10_000) } }],
  ["a range without an end", { headers: { range: `bytes=${" ".repeat(10_000)}` } }],
];

export const attacksInFront: readonly FrontAttack[] = table.map(([what, upload], index) => ({ id: `F${index + 1}`, what, upload }));

/** A file of the same size that is trivial to inspect. */
export function goodUploadLike({ file }: Upload): Upload {
  return { file: file === undefined ? bytes("a") : bytes("a ".repeat(file.length / 2)), name: "a.txt", to: "html" };
}
