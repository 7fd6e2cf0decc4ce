import type { Key } from "./message-keys.ts";
import type { Translator, Values } from "./translate.ts";

/** HTML that is safe to send. Template values are escaped unless they are already Html. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Insert = string | number | Html | readonly Html[];

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  return new Html(parts.reduce((whole, part, index) => whole + textOf(inserts[index - 1] ?? "") + part));
}

function textOf(insert: Insert): string {
  if (insert instanceof Html) return insert.text;
  if (typeof insert === "object") return insert.map((item) => item.text).join("");
  return String(insert).replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Plain text in which backticks mark code. */
export function prose(text: string): Html {
  return new Html(
    text
      .split("`")
      .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`).text)
      .join(""),
  );
}

const markup = {
  b: (parts: (string | Html)[]) => html`<strong>${joined(parts)}</strong>`,
  code: (parts: (string | Html)[]) => html`<code>${joined(parts)}</code>`,
};

/** A translated text with its markup: `<b>`, `<code>`, and the tags that `values` define. */
export function said(say: Translator, key: Key, values: Values<Html> = {}): Html {
  return joined(say.parts<Html>(key, { ...markup, ...values }));
}

/** Value for the tag `<a>` of a text. */
export function linkTo(address: string): (parts: (string | Html)[]) => Html {
  return (parts) => html`<a href="${address}">${joined(parts)}</a>`;
}

function joined(parts: readonly (string | Html)[]): Html {
  return html`${parts.map((part) => (part instanceof Html ? part : html`${part}`))}`;
}
