import type { MessageFormatElement } from "@formatjs/icu-messageformat-parser";
import type english from "./messages/en.json";

/** The name of a text; its first part says what kind of place it has (decision 70). */
export type Key = keyof typeof english;

/** Read messages: plain texts as they are, everything else as the parser gives it. */
export type Messages = Readonly<Record<Key, string | MessageFormatElement[]>>;
