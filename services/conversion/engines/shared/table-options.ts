/** Options of text tables, shared by all readers and writers. */
import type { OptionDefinition } from "#services/conversion/domain/engine.ts";
import { yesOrNo } from "./options.ts";

export const delimiter: OptionDefinition = {
  name: "delimiter",
  type: "enum",
  values: ["auto", "comma", "semicolon", "tab", "pipe"],
  default: "auto",
  description: "Column separator of the input",
};
export const outputDelimiter: OptionDefinition = {
  name: "outputDelimiter",
  type: "enum",
  values: ["comma", "semicolon", "tab", "pipe"],
  default: "comma",
  description: "Column separator of the result",
};
export const bom: OptionDefinition = yesOrNo("bom", "Byte order mark, so that Excel recognises UTF-8", { default: false });
