/** Translates texts. The same code runs on the server and in the browser. */
import { IntlMessageFormat } from "intl-messageformat";
import type { Key, Messages } from "./message-keys.ts";

/** Values for the placeholders and tags of a text. */
export type Values<Chunk> = Readonly<Record<string, string | number | Chunk | ((parts: (string | Chunk)[]) => Chunk)>>;

export class Translator {
  readonly language: string;
  readonly #messages: Messages;
  readonly #formats = new Map<Key, IntlMessageFormat>();

  constructor(language: string, messages: Messages) {
    this.language = language;
    this.#messages = messages;
  }

  /** A text without markup. Throws if a value is missing. */
  text(key: Key, values: Readonly<Record<string, string | number>> = {}): string {
    return this.parts<never>(key, values).join("");
  }

  /** A text with markup. Tags such as `<b>…</b>` are rendered by the functions of the same name in `values`. */
  parts<Chunk>(key: Key, values: Values<Chunk>): (string | Chunk)[] {
    const message = this.#messages[key];
    if (typeof message === "string") return [message];
    const format = this.#formats.get(key) ?? new IntlMessageFormat(message, this.language);
    this.#formats.set(key, format);
    return [format.format<Chunk>(values as Parameters<typeof format.format<Chunk>>[0])].flat() as (string | Chunk)[];
  }

  has(key: string): key is Key {
    return Object.hasOwn(this.#messages, key);
  }
}
