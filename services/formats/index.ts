/**
 * The one table of formats. Code that reads content (`sniff/`) is not exported here, because it may run only in inspectors (decision 34).
 */
export { formatOf, formatOfFileName, formats, formatsOfFileName, parseFormatId } from "#formats/table/lookup.ts";
export { type FormatRow, type Kind, kinds } from "#formats/table/row.ts";
export { canHave, isTrait, losesTransparency, type Trait } from "#formats/table/traits.ts";
