/** Does what the message script does in a page. */
import { messagesOf } from "#gateway/web/languages.ts";

globalThis.filemill = { language: "en", messages: await messagesOf("en") };
