import type { Translator } from "./translate.ts";

/**
 * The reason of an error for people. In English, this is the server's message, which is the most specific. In other languages, it is a text
 * for the error code, if there is one.
 */
export function reasonOf(say: Translator, { code, message }: { readonly code: string; readonly message: string }): string {
  const key = `error.${code}`;
  return say.language !== "en" && say.has(key) ? say.text(key) : message;
}
