/** The page's texts, provided by a script that is loaded before this one. */
import type { ComponentChildren } from "preact";
import { reasonOf } from "#gateway/web/error-text.ts";
import type { Key, Messages } from "#gateway/web/message-keys.ts";
import { Translator, type Values } from "#gateway/web/translate.ts";

declare global {
  var filemill: { readonly language: string; readonly messages: Messages } | undefined;
}

let translator: Translator | undefined;

function own(): Translator {
  if (translator === undefined) {
    const { filemill } = globalThis;
    if (filemill === undefined) throw new RangeError("the page brought no texts");
    translator = new Translator(filemill.language, filemill.messages);
  }
  return translator;
}

export function languageOfPage(): string {
  return own().language;
}

/** A text without markup. */
export function t(key: Key, values?: Readonly<Record<string, string | number>>): string {
  return own().text(key, values);
}

/** A text with a computed key, such as `option.quality`; undefined if there is none. */
export function textOf(key: string): string | undefined {
  return own().has(key) ? own().text(key as Key) : undefined;
}

const markup = {
  b: (parts: ComponentChildren[]) => <strong>{parts}</strong>,
  code: (parts: ComponentChildren[]) => <code>{parts}</code>,
};

/** A text with markup: `<b>`, `<code>`, and the tags that `values` define. */
export function rich(key: Key, values: Values<ComponentChildren> = {}): ComponentChildren {
  return own().parts<ComponentChildren>(key, { ...markup, ...values });
}

/** Value for the tag `<a>` of a text. */
export function linkTo(href: string): (parts: ComponentChildren[]) => ComponentChildren {
  return (parts) => <a href={href}>{parts}</a>;
}

/** An error in the page's language, if there is a translation. */
export function refusalText(refusal: { readonly code: string; readonly message: string }): string {
  return reasonOf(own(), refusal);
}

/** A list in the page's language: "a, b and c". */
export function listText(words: readonly string[]): string {
  return new Intl.ListFormat(own().language, { type: "conjunction" }).format(words);
}
