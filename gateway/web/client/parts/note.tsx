import { languageOfPage, textOf } from "./language.tsx";

/** A note in the server's own words, which know most, where they are in the page's language; else in the words of its code. */
export function Note({ note: { code, message } }: { note: { readonly code: string; readonly message: string } }) {
  if (languageOfPage() === "en") return <>{message}</>;
  const known = textOf(`note.${code}`);
  return known === undefined ? <span lang="en">{message}</span> : <>{known}</>;
}
