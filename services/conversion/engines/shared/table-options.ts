/** Options of text tables, shared by all readers and writers. */
import { oneOf, yesOrNo } from "./options.ts";

export const delimiter = oneOf("delimiter", ["auto", "comma", "semicolon", "tab", "pipe"], "Column separator of the input", "auto");
export const outputDelimiter = oneOf("outputDelimiter", ["comma", "semicolon", "tab", "pipe"], "Column separator of the result", "comma");
export const bom = yesOrNo("bom", "Byte order mark, so that Excel recognises UTF-8", { default: false });
