import type { Translator } from "./translate.ts";

/** What the server refused: its own words, which know most, in English; else what its code means, as far as that has a text. */
export function reasonOf(say: Translator, { code, message }: { readonly code: string; readonly message: string }): string {
  const key = `error.${code}`;
  return say.language !== "en" && say.has(key) ? say.text(key) : message;
}
