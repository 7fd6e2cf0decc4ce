import { oneOf } from "./options.ts";

export const archivePart = oneOf("part", ["1", "2", "3"], "Part of the standard: PDF/A-1b, PDF/A-2b or PDF/A-3b (ISO 19005)", "2");
