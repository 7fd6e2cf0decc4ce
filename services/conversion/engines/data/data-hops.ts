/** Which pairs of data formats are offered. */
import type { Fidelity, Hop, OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import { partOptions } from "#services/conversion/domain/parts.ts";
import { crossHops, ownHops, words } from "../shared/hop-table.ts";
import { encodingOption } from "../shared/node-worker.ts";
import { integerIn, matching, oneOf, yesOrNo } from "../shared/options.ts";
import { bom, delimiter, outputDelimiter } from "../shared/table-options.ts";
import { dataExpectations } from "./data-notes.ts";

/** Trees of named values and lists. */
const trees = words("json yaml json5 msgpack cbor bson ndjson toml xml plist");
/** Named settings, one or two levels deep. */
const settings = words("ini properties");
const textTables = words("csv tsv psv");
const tables = [...textTables, ...words("parquet avro sqlite")];
/** Workbooks whose cells are converted as records here; between workbooks, an office program keeps more. */
const readableBooks = words("xlsx xlsm xltx xlsb xls xlt xlsx2003 ods ots fods numbers slk");
const writtenBooks = words("xlsx xls xlsb xlsx2003");

const data = [...trees, ...settings, ...tables];
/** Databases that are only read. */
const readBases = words("mdb");
/** Tables that are only read here; an office program writes them. */
const readTables = words("dbf");
const isBase = new Set(["sqlite", ...readBases]);
const isText = new Set(words("json yaml json5 ndjson toml xml plist ini properties csv tsv psv"));
const isTree = new Set(trees);
const isSetting = new Set(settings);
const isTable = new Set(tables);
const isBook = new Set([...readableBooks, ...writtenBooks]);
const isTextTable = new Set(textTables);

/** Settings and trees convert into each other; a list of records is not a set of settings. */
function makesSense(from: string, to: string): boolean {
  if (isSetting.has(from)) return !isTable.has(to) && !isBook.has(to) && to !== "ndjson";
  if (isSetting.has(to)) return isTree.has(from) && from !== "ndjson";
  if (from === "toml" || from === "plist") return !isTable.has(to) && !isBook.has(to);
  return true;
}

/** Pairs that preserve every value exactly. */
const lossless = new Set(
  words("json>yaml json>json5 json>ndjson ndjson>json ndjson>yaml ndjson>json5 csv>tsv csv>psv tsv>csv tsv>psv psv>csv psv>tsv"),
);

function fidelityOf(from: string, to: string): Fidelity {
  if (lossless.has(`${from}>${to}`)) return "lossless";
  if (isBook.has(from)) return from === "numbers" && to === "xlsx" ? "high" : "reduced";
  if (to === "xml" || from === "xml" || isSetting.has(to)) return "reduced";
  // A tree has to be flattened, and typed values become text.
  if ((isTable.has(to) || isBook.has(to)) && isTree.has(from)) return "reduced";
  return isTextTable.has(to) && !isTextTable.has(from) ? "reduced" : "high";
}

const quoteText = yesOrNo("quoteText", "Quote every text cell, so that it is not read as a number", { default: false });
const header: OptionDefinition = { name: "header", type: "boolean", default: true, description: "First row names the columns" };
const kinds = oneOf(
  "types",
  ["auto", "text"],
  "`auto` converts columns of only numbers (007 and 1.50 stay text); `text` converts nothing",
  "auto",
);
const decimal = oneOf(
  "decimal",
  ["auto", "point", "comma"],
  "Decimal mark. `auto`: decided once per table; values that would change stay text. `point`, `comma`: also accept trailing zeros and thousands separators",
  "auto",
);
const dateOrder = oneOf(
  "dateOrder",
  ["text", "dmy", "mdy", "ymd"],
  "Order of day, month and year in date columns, which become dates; `text`: unchanged",
  "text",
);
const indentFrom = (min: number) =>
  integerIn("indent", [min, 8], "Spaces per indentation level; 0 writes a single line", { default: 2, unit: "characters" });
const charset = oneOf("charset", ["utf-8", "ascii"], "`ascii` escapes all other characters", "utf-8");
const name = "^[A-Za-z_][A-Za-z0-9_.-]{0,63}$";
const elements: readonly OptionDefinition[] = [
  matching("root", name, "Name of the root element, if the data has none", "root"),
  matching("item", name, "Name of list elements, if the data has none", "item"),
];
const tableName = "^[^\\x00-\\x1f]{1,128}$";
const tableRead = matching("table", tableName, "Name of the table; default: the first");
const tableChosen = matching("table", tableName, "Only this table; default: all of them");
const tableWritten = matching("table", tableName, "Name of the table", "data");
const form = oneOf("form", ["xml", "binary"], "Write an XML or a binary property list", "xml");
const compression = oneOf("compression", ["snappy", "none"], "Compression of the columns", "snappy");

/** For targets that hold only one sheet: the first is used unless one is chosen. */
const oneSheet = matching("sheet", "^[^\\x00-\\x1f]{1,64}$", "Only this sheet, by number or name; default: all of them");
const holdsSheets = (to: string) => to === "json" || to === "md" || isBook.has(to);

function optionsOf(from: string, to: string): readonly OptionDefinition[] {
  const isOfCells = isBook.has(from) || readTables.includes(from);
  const isLineByLine = (isTextTable.has(from) || isOfCells) && isTextTable.has(to);
  if (isBook.has(from) && isBook.has(to)) return [];
  const hasHeader = to !== "md" && !isLineByLine && (isTextTable.has(from) || isBook.has(from) || isTextTable.has(to) || isBook.has(to));
  return [
    ...(isBook.has(from) ? (holdsSheets(to) ? [oneSheet] : partOptions("sheet")) : []),
    ...(isText.has(from) ? [encodingOption] : []),
    ...(from === "csv" ? [delimiter] : []),
    ...(hasHeader ? [header] : []),
    ...(isTextTable.has(from) && !isLineByLine ? [kinds, decimal, dateOrder] : []),
    ...(isBase.has(from) && from !== to ? [to === "json" || to === "sqlite" || isBook.has(to) ? tableChosen : tableRead] : []),
    ...(to === "sqlite" && !isBase.has(from) ? [tableWritten] : []),
    ...(to === "csv" ? [outputDelimiter] : []),
    ...(isOfCells && isTextTable.has(to) ? [quoteText] : []),
    ...(isTextTable.has(to) ? [bom] : []),
    ...(to === "json" || to === "json5" || to === "xml" || to === "yaml" ? [indentFrom(to === "yaml" ? 1 : 0)] : []),
    ...(to === "json" ? [charset] : []),
    ...(to === "xml" ? elements : []),
    ...(to === "plist" ? [form] : []),
    ...(to === "parquet" ? [compression] : []),
  ];
}

/** The YAML library reads about a megabyte per second, the others about ten. Tables of dBase are padded with blanks. */
const maxInputMbOf = (format: string) => (format === "yaml" ? 8 : format === "dbf" ? 50 : 30);

function hopOf(from: string, to: string): Omit<Hop, "from" | "to"> | undefined {
  if (!makesSense(from, to)) return undefined;
  const part = isBook.has(from) && !holdsSheets(to) ? ({ part: "sheet" } as const) : {};
  const [options, expects] = [optionsOf(from, to), dataExpectations(from, to)];
  // Cheaper than a text table: other workbooks are built from this one, whose cells have types.
  const cost = isBook.has(to) ? 15 : 20;
  return { fidelity: fidelityOf(from, to), cost, maxInputMb: maxInputMbOf(from), options, expects, ...part };
}

const sortKeys = yesOrNo("sortKeys", "Sort the names in each object alphabetically", { default: false });
const lineEnds = (preset: "lf" | "crlf") =>
  oneOf("lineEnds", ["lf", "crlf"], "Line endings: as on Linux and macOS, or as on Windows", preset);
const outputEncoding = oneOf(
  "outputEncoding",
  words("utf-8 utf-16le windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 iso-8859-2 iso-8859-15 koi8-r"),
  "Text encoding of the result; characters it does not have become question marks",
  "utf-8",
);

/** Text formats whose values can stay as written. */
const own = ownHops(words("json ndjson yaml xml csv tsv psv"), (format) => {
  const isTable = isTextTable.has(format);
  const separator = format === "csv" ? [delimiter, outputDelimiter] : [];
  const layout = format === "ndjson" ? [] : [indentFrom(format === "yaml" ? 1 : 0)];
  const order = format === "xml" ? [] : [sortKeys];
  return {
    ...{ fidelity: "lossless", cost: 20, maxInputMb: maxInputMbOf(format) },
    options: [encodingOption, ...(isTable ? [...separator, bom, lineEnds("crlf"), outputEncoding] : [...layout, ...order, lineEnds("lf")])],
    expects: [
      ...expectingAll("ENCODING_GUESSED", format === "csv" && "DIALECT_GUESSED"),
      ...(isTable
        ? [
            expecting("ENTRIES_LEFT_OUT", "Rows without a value are left out."),
            expecting("CHARACTERS_REPLACED", { option: "outputEncoding" }),
          ]
        : []),
    ],
  };
});

export const dataHops: readonly Hop[] = [
  ...own,
  ...crossHops(data, data, hopOf),
  ...crossHops(readableBooks, data, (from, to) => (isSetting.has(to) || to === "toml" || to === "plist" ? undefined : hopOf(from, to))),
  ...crossHops(readableBooks, ["md"], hopOf),
  ...crossHops(["numbers"], ["xlsx"], hopOf),
  ...crossHops(readableBooks, ["xlsx2003"], hopOf),
  ...crossHops(data, writtenBooks, hopOf),
  ...crossHops(readTables, [...data, ...writtenBooks], hopOf),
  ...crossHops(readBases, [...data, ...writtenBooks], (from, to) =>
    isSetting.has(to) || to === "toml" || to === "plist" ? undefined : hopOf(from, to),
  ),
];
