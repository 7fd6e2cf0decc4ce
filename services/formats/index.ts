/** The one table of formats, and telling a file's format from its content. */
export { encodingOf as textEncodingOf } from "#formats/sniff/encoding.ts";
export { type Sniffed, sniff } from "#formats/sniff/sniff.ts";
export { formatOf, formatOfFileName, formats, formatsOfFileName, parseFormatId } from "#formats/table/lookup.ts";
export { type FormatRow, type Kind, kinds } from "#formats/table/row.ts";
export { canHave, isTrait, losesTransparency, type Trait } from "#formats/table/traits.ts";
