import type { MessageFormatElement } from "@formatjs/icu-messageformat-parser";
import type english from "./messages/en.json";

/** The key of a text. Its first part says where the text is used (decision 70). */
export type Key = keyof typeof english;

/** Parsed messages: strings without placeholders as they are, others as the parser's elements. */
export type Messages = Readonly<Record<Key, string | MessageFormatElement[]>>;
