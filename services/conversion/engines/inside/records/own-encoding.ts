/** Encodes text for programs that need another encoding. */
import { type Notes, noteOnce } from "../exchange.ts";

/** Characters that the encoding lacks become question marks, which is noted. */
export function encodeText(text: string, encoding: string, notes: Notes): Uint8Array {
  if (encoding === "utf-8") return Buffer.from(text);
  if (encoding === "utf-16le") return Buffer.from(`\uFEFF${text.replace(/^\uFEFF/, "")}`, "utf16le");
  const codes = codesOf(encoding);
  const letters = Array.from(text.replace(/^\uFEFF/, ""));
  const result = Buffer.alloc(letters.length);
  for (const [at, letter] of letters.entries()) {
    const code = codes.get(letter);
    if (code === undefined)
      noteOnce(notes, "CHARACTERS_REPLACED", `Characters that ${encoding} does not have became question marks, first “${letter}”.`);
    result[at] = code ?? 0x3f;
  }
  return result;
}

/** Inverts the decoder's mapping of each byte. */
function codesOf(encoding: string): ReadonlyMap<string, number> {
  const letters = Array.from(new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, code) => code)));
  return new Map(letters.flatMap((letter, code) => (letter === "\uFFFD" ? [] : [[letter, code] as const])));
}
