/** Replaces the text script of a page. */
import { messagesOf } from "#gateway/web/languages.ts";

globalThis.filemill = { language: "en", messages: await messagesOf("en") };
