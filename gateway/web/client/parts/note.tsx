import { languageOfPage, textOf } from "./language.tsx";

/**
 * A note. In English, this is the server's message, which is the most specific. In other languages, it is a text for the note's code, if
 * there is one.
 */
export function Note({ note: { code, message } }: { note: { readonly code: string; readonly message: string } }) {
  if (languageOfPage() === "en") return <>{message}</>;
  const known = textOf(`note.${code}`);
  return known === undefined ? <span lang="en">{message}</span> : <>{known}</>;
}
