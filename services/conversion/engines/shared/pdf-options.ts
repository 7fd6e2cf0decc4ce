import type { OptionDefinition } from "#services/conversion/domain/engine.ts";

export const archivePart: OptionDefinition = {
  name: "part",
  type: "enum",
  values: ["1", "2", "3"],
  default: "2",
  description: "Part of the standard: PDF/A-1b, PDF/A-2b or PDF/A-3b (ISO 19005)",
};
