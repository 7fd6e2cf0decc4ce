/** What is lost between data formats, based on the values that each can hold. */
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import type { Expectation } from "#services/conversion/domain/notes.ts";
import { words } from "../shared/hop-table.ts";

const set = (ids: string): ReadonlySet<string> => new Set(words(ids));

/** Which formats can read or write kinds of values that others lack. */
const having = {
  /** Integers of any size. */
  integers: set("json yaml ndjson json5 cbor csv tsv psv xml plist dbf"),
  /** Decimals with more digits than a double holds. */
  decimals: set("json yaml ndjson json5 bson cbor csv tsv psv xml plist mdb dbf"),
  infinite: set("yaml json5 toml msgpack cbor bson parquet avro sqlite mdb xml plist"),
  bytes: set("yaml msgpack cbor bson plist parquet avro sqlite mdb dbf"),
  instants: set("toml msgpack cbor bson plist parquet avro xml"),
  /** Instants with more subsecond digits than many formats store. */
  fineInstants: set("toml msgpack cbor bson plist parquet avro xml"),
  localStamps: set("toml xml cbor parquet avro mdb dbf xlsx xlsm xltx xlsb xls xlt xlsx2003 ods ots fods numbers slk"),
  nothing: set(
    "json yaml json5 ndjson msgpack cbor bson parquet avro sqlite mdb dbf csv tsv psv ini xlsx xlsm xltx xlsb xls xlt xlsx2003 ods ots fods numbers slk",
  ),
} as const;
type Sort = keyof typeof having;

/** Formats that read a kind of value but never write it, or the reverse. */
const neverWritten: Readonly<Partial<Record<Sort, ReadonlySet<string>>>> = {
  decimals: set("bson cbor plist"),
  // Only the XML form of a property list holds large integers.
  integers: set("plist"),
  infinite: set("plist"),
  fineInstants: set("toml bson plist"),
  localStamps: set("cbor parquet avro"),
};
/** These yield only text, lists and names when read. */
const untyped = set("xml ini properties");
const textTables = set("csv tsv psv");
const books = set("xlsx xlsm xltx xlsb xls xlt xlsx2003 ods ots fods numbers slk");
const columnar = set("parquet avro sqlite");
const bases = set("sqlite mdb");
const settings = set("ini properties");
const flat = set("csv tsv psv sqlite mdb dbf xlsx xlsm xltx xlsb xls xlt xlsx2003 ods ots fods numbers slk");
const texts = set("json yaml json5 ndjson toml xml plist ini properties csv tsv psv");

function lacks(from: string, to: string, sort: Sort): boolean {
  const holds = having[sort].has(to) && neverWritten[sort]?.has(to) !== true;
  return reads(from, sort) && !holds;
}

function reads(from: string, sort: Sort): boolean {
  return !untyped.has(from) && having[sort].has(from);
}

/** In columns and in cells of a workbook, values of another type become text; in nested lists, those that JSON lacks do. */
function becomesText(from: string, to: string): boolean {
  // Parquet: bytes that are text. BSON and CBOR: ids, patterns and other types
  // that only they have. MessagePack: instants finer than a millisecond.
  if (from === "parquet" || from === "bson" || from === "cbor" || (from === "msgpack" && to === "bson")) return true;
  if (untyped.has(from)) return false;
  if (settings.has(to)) return reads(from, "bytes");
  if (columnar.has(to)) return true;
  const sorts: readonly Sort[] = ["bytes", "instants", "fineInstants", "localStamps", "infinite"];
  if (textTables.has(to)) return reads(from, "bytes") || (!flat.has(from) && sorts.some((sort) => reads(from, sort)));
  if (books.has(to))
    return (
      (["bytes", "integers", "decimals", "instants", "localStamps"] as const).some((sort) => reads(from, sort)) ||
      lacks(from, "json", "infinite")
    );
  return [...sorts, "integers" as const, "decimals" as const].some((sort) => lacks(from, to, sort));
}

function isRounded(from: string, to: string): boolean {
  const isTree = !textTables.has(to) && !books.has(to) && !columnar.has(to) && !settings.has(to);
  // Negative zero becomes an integer there.
  if (to === "msgpack" && reads(from, "infinite")) return true;
  return from === "toml" || (isTree && lacks(from, to, "decimals"));
}

function flattening(from: string, to: string): readonly Expectation[] {
  if (from === "xml" && !textTables.has(to) && !books.has(to) && !columnar.has(to) && to !== "properties")
    return [expecting("STRUCTURE_FLATTENED", "Text between elements is joined.")];
  if (to === "xml" && !flat.has(from) && !settings.has(from))
    return [expecting("STRUCTURE_FLATTENED", "Lists of one value become single elements.")];
  const isTable = textTables.has(to) || books.has(to) || columnar.has(to);
  if (to === "ini" && !settings.has(from)) return [expecting("STRUCTURE_FLATTENED", "Nested sections get dotted names.")];
  if (to === "properties") return [expecting("STRUCTURE_FLATTENED", "Nested values become properties with dotted names.")];
  return isTable && !flat.has(from) ? [expecting("STRUCTURE_FLATTENED", "Nested values become columns, and lists text.")] : [];
}

/** Formats that allow names of any type, or repeated names. */
const looseNames = set("msgpack cbor yaml parquet");

const isTree = (format: string): boolean => !flat.has(format) && !columnar.has(format);

/** Formats that allow the same name twice in one object. */
const doubling = set("json ndjson json5 plist");

function naming(from: string, to: string): readonly Expectation[] {
  const ofSource = textTables.has(from) || books.has(from) || from === "dbf";
  if (isTree(from) && (textTables.has(to) || books.has(to) || columnar.has(to))) {
    return [expecting("NAMES_CHANGED", "Columns with the same name are numbered.")];
  }
  if (from === "ini") return [expecting("NAMES_CHANGED", "A section with the same name as a setting is renamed.")];
  if (to === "properties") return [expecting("NAMES_CHANGED", "Values with the same name are numbered.")];
  if (looseNames.has(from)) return [expecting("NAMES_CHANGED", "Names that are not text become text; repeated names are numbered.")];
  if (bases.has(from) && books.has(to)) return [expecting("NAMES_CHANGED", "Table names that are not valid sheet names are changed.")];
  const ofTarget = to === "xml" || to === "avro" || to === "sqlite" || to === "ini";
  if (ofTarget) return expectingAll("NAMES_CHANGED");
  if (doubling.has(from)) return [expecting("NAMES_CHANGED", "Repeated names are numbered.")];
  return ofSource ? [expecting("NAMES_CHANGED", "Columns with the same name, or with none, are numbered.")] : [];
}

const tags = set("cbor bson yaml");
const commented = set("yaml json5 toml xml ini properties");
/** Text formats that can hold a lone surrogate as an escape. */
const escapesHalves = set("json ndjson json5 yaml properties");

function leavingOff(from: string, to: string): readonly Expectation[] {
  const isZoned = books.has(to) && reads(from, "instants");
  const told = [
    ...(tags.has(from) ? ["Tags and subtypes without an equivalent are removed."] : []),
    ...(commented.has(from) ? ["Comments are left out."] : []),
    ...(from === "parquet" ? ["Coordinate systems of shapes and units of durations are left out."] : []),
    ...(isZoned ? ["Times are written in UTC, without a time zone."] : []),
  ];
  return told.length > 0 ? [expecting("METADATA_DROPPED", told.join(" "))] : [];
}

/** Plain text cannot express null, nor an empty list. */
function emptying(from: string, to: string): readonly Expectation[] {
  if ((to === "xml" || settings.has(to)) && !settings.has(from))
    return [expecting("EMPTY_VALUES_DROPPED", "Empty values and lists become empty text or are left out.")];
  if ((flat.has(from) || from === "parquet" || from === "avro") && isTree(to) && to !== "toml" && to !== "plist")
    return [expecting("EMPTY_VALUES_DROPPED", "If a table has no rows, its column names are left out.")];
  return expectingAll((to === "toml" || to === "plist") && having.nothing.has(from) && "EMPTY_VALUES_DROPPED");
}

/** Of a workbook that becomes another here. */
const rewriting: readonly Expectation[] = [
  expecting(
    "STYLING_DROPPED",
    "Fonts, colours, column widths, merged cells, pictures and charts are left out; formulas become their results.",
  ),
  expecting("NAMES_CHANGED", "Table names that are not valid sheet names are changed."),
  ...expectingAll("TYPES_AS_TEXT", "CHARACTERS_REPLACED"),
];

/** Notes of a hop. Between text tables, values are copied as text. */
export function dataExpectations(from: string, to: string): readonly Expectation[] {
  const guessed = expectingAll((texts.has(from) || from === "sqlite") && "ENCODING_GUESSED", from === "csv" && "DIALECT_GUESSED");
  const guessedMarks = expectingAll((from === "tsv" || from === "psv") && "DIALECT_GUESSED");
  const emptyRows = books.has(from) || textTables.has(from) ? [expecting("ENTRIES_LEFT_OUT", "Rows without a value are left out.")] : [];
  if (textTables.has(from) && textTables.has(to)) return [...guessed, ...emptyRows];
  const ofDbase =
    from === "dbf"
      ? [
          ...expectingAll("ENCODING_GUESSED"),
          expecting("ENTRIES_LEFT_OUT", "Rows marked as deleted are left out."),
          expecting("CHARACTERS_REPLACED", "Characters that the table's code page or the format does not have are replaced."),
        ]
      : [];
  const beside = [
    ...(books.has(from) && from !== "slk" && from !== "xlsx2003"
      ? [expecting("DRAWINGS_LEFT_OUT", "Charts, pictures and text beside the cells are left out.")]
      : []),
    ...(from === "numbers" ? [expecting("NUMBERS_ROUNDED", "Numbers are rounded to 17 digits.")] : []),
    ...expectingAll(from === "slk" && "ENCODING_GUESSED"),
  ];
  if (books.has(from) && books.has(to)) return [...beside, ...rewriting];
  if (books.has(from) && (textTables.has(to) || to === "md")) return [...expectingAll("SHEETS_LEFT_OUT"), ...beside, ...emptyRows];
  return [
    ...guessed,
    ...guessedMarks,
    ...(from === "yaml"
      ? [expecting("DIALECT_GUESSED", { message: "Numbers with leading zeros are read as decimal, as in YAML 1.2.", isOfSource: true })]
      : []),
    ...(from === "json" || from === "ndjson"
      ? [expecting("DIALECT_GUESSED", { message: "Several values, one after another, are read as a list.", isOfSource: true })]
      : []),
    ...ofDbase,
    ...(textTables.has(from) && !becomesText(from, to) ? [expecting("TYPES_AS_TEXT", { option: "dateOrder" })] : []),
    ...expectingAll((books.has(from) || bases.has(from)) && "SHEETS_LEFT_OUT"),
    ...(from === "mdb" ? [expecting("STRUCTURE_DROPPED", "Attached files are left out; their names stay.")] : []),
    ...beside,
    ...emptyRows,
    ...flattening(from, to),
    ...expectingAll(becomesText(from, to) && "TYPES_AS_TEXT", isRounded(from, to) && "NUMBERS_ROUNDED"),
    ...emptying(from, to),
    ...naming(from, to),
    ...leavingOff(from, to),
    ...(from === "properties" ? [expecting("ENTRIES_LEFT_OUT", "If a property occurs more than once, the last value is used.")] : []),
    ...expectingAll(
      from !== "dbf" &&
        (from === "parquet" ||
          to === "xml" ||
          to === "ini" ||
          to === "plist" ||
          books.has(to) ||
          (textTables.has(to) && !untyped.has(from)) ||
          (escapesHalves.has(from) && !escapesHalves.has(to))) &&
        "CHARACTERS_REPLACED",
    ),
  ];
}
