/** Reads any data format and writes any other. Each format's library is loaded on first use. */
import { type Converted, type Notes, noteOnce, type Options, type Question, textOption } from "../exchange.ts";
import { Failure } from "../failure.ts";
import { decodeText, xmlEncodingIn } from "../text-decoding.ts";
import { NamedRows, recordsOf } from "./tables.ts";
import type { Value } from "./values.ts";
import { wellFormed } from "./well-formed.ts";

type Reader = (source: Source) => Value | Promise<Value>;
type Source = {
  readonly bytes: Buffer;
  readonly from: string;
  readonly options: Options;
  readonly notes: Notes;
  text(declared?: string): string;
};
type Writer = (value: Value, options: Options, notes: Notes, to: string) => Converted | Promise<Converted>;

const access = () => import("./access.ts");
const json = () => import("./json.ts");
const json5 = () => import("./json5.ts");
const ini = () => import("./ini.ts");
const settings = () => import("./settings.ts");
const binary = () => import("./binary.ts");
const cbor = () => import("./cbor.ts");
const columns = () => import("./columns.ts");
const typedTables = () => import("./typed-tables.ts");
const csv = () => import("./csv.ts");
const dbase = () => import("./dbase.ts");
const plist = () => import("./plist.ts");
const sheets = () => import("./sheets.ts");
const yaml = () => import("./yaml.ts");
const xml = () => import("./xml.ts");

const readTable: Reader = async ({ text, from, options, notes }) => recordsOf((await csv()).parseTable(text(), from, options, notes));
const readSheet: Reader = async ({ bytes, options, notes }) => recordsOf((await sheets()).parseSheet(bytes, options, notes));

const readers: Readonly<Record<string, Reader>> = {
  json: async ({ text, notes }) => (await json()).parseJson(text(), notes),
  ndjson: async ({ text, notes }) => (await json()).parseJsonLines(text(), notes),
  json5: async ({ text, notes }) => (await json5()).parseJson5(text(), notes),
  yaml: async ({ text, notes }) => (await yaml()).parseYaml(text(), notes),
  toml: async ({ text, notes }) => (await settings()).parseToml(text(), notes),
  xml: async ({ bytes, text, notes }) => (await xml()).parseXml(text(xmlEncodingIn(bytes)), notes),
  ini: async ({ text, notes }) => (await ini()).parseIni(text(), notes),
  properties: async ({ text, notes }) => (await settings()).parseJavaProperties(text(), notes),
  plist: async ({ bytes, text, notes }) => (await plist()).parsePlist(bytes, () => text(xmlEncodingIn(bytes)), notes),
  msgpack: async ({ bytes, notes }) => (await binary()).parseMsgpack(bytes, notes),
  cbor: async ({ bytes, notes }) => (await cbor()).parseCbor(bytes, notes),
  bson: async ({ bytes, notes }) => (await binary()).parseBson(bytes, notes),
  parquet: async ({ bytes, notes }) => (await columns()).parseParquet(bytes, notes),
  avro: async ({ bytes }) => (await columns()).parseAvro(bytes),
  sqlite: async ({ bytes, options, notes }) => (await columns()).parseSqlite(bytes, options, notes),
  mdb: async ({ bytes, options, notes }) => recordsOf((await access()).parseAccess(bytes, options, notes)),
  dbf: async ({ bytes, notes }) => recordsOf((await dbase()).parseDbase(bytes, notes)),
  csv: readTable,
  tsv: readTable,
  psv: readTable,
};

const writeTable: Writer = async (value, options, notes, to) => (await csv()).writeTable(value, to, options, notes);
const writeSheet: Writer = async (value, options, notes, to) => (await sheets()).writeSheet(value, to, options, notes);

const writers: Readonly<Record<string, Writer>> = {
  json: async (...given) => (await json()).writeJson(...take(given)),
  ndjson: async (...given) => (await json()).writeJsonLines(...take(given)),
  json5: async (...given) => (await json()).writeJson5(...take(given)),
  yaml: async (...given) => (await yaml()).writeYaml(...take(given)),
  toml: async (...given) => (await settings()).writeToml(...take(given)),
  xml: async (...given) => (await xml()).writeXml(...take(given)),
  ini: async (...given) => (await ini()).writeIni(...take(given)),
  properties: async (...given) => (await settings()).writeJavaProperties(...take(given)),
  plist: async (...given) => (await plist()).writePlist(...take(given)),
  msgpack: async (...given) => (await binary()).writeMsgpack(...take(given)),
  cbor: async (...given) => (await cbor()).writeCbor(...take(given)),
  bson: async (...given) => (await binary()).writeBson(...take(given)),
  parquet: async (...given) => (await typedTables()).writeParquet(...take(given)),
  avro: async (...given) => (await typedTables()).writeAvro(...take(given)),
  sqlite: async (...given) => (await columns()).writeSqlite(...take(given)),
  csv: writeTable,
  tsv: writeTable,
  psv: writeTable,
  xlsx: writeSheet,
  xlsb: writeSheet,
  xls: writeSheet,
  xlsx2003: writeSheet,
};

const take = ([value, options, notes]: Parameters<Writer>) => [value, options, notes] as const;

const textTables = new Set(["csv", "tsv", "psv"]);
/** Formats that can write a lone surrogate as an escape; no others can. */
const escapesHalves = new Set(["json", "ndjson", "json5", "yaml", "properties"]);
const tables = new Set([...textTables, "parquet", "avro", "sqlite", "xlsx", "xlsb", "xls", "xlsx2003"]);

export async function convertData(bytes: Buffer, { from, to, options }: Question, notes: Notes): Promise<Converted> {
  if (from === to) return (await import("./own.ts")).rewriteData(bytes, { work: "data", from, to, options }, notes);
  const text = (declared?: string) => decodeText(bytes, textOption(options, "encoding") ?? "auto", notes, declared);
  if (textTables.has(from) && textTables.has(to)) {
    const { linesOf, textOfLines } = await csv();
    return textOfLines(linesOf(text(), from, options, notes), to, options);
  }
  if (from === "dbf" && textTables.has(to)) {
    const { columns, rows } = (await dbase()).parseDbase(bytes, notes);
    return (await csv()).textOfCells([columns, ...rows], to, options);
  }
  const several = (await import("./several.ts")).severalOf(bytes, { work: "data", from, to, options }, notes);
  if (several !== undefined) return several;
  if (textTables.has(to) && readers[from] === undefined) {
    const [{ linesOfSheet }, { textOfCells }] = await Promise.all([sheets(), csv()]);
    return textOfCells(linesOfSheet(bytes, options, notes), to, options);
  }
  const question = { work: "data", from, to, options };
  const value = await readRecords(bytes, question, notes);
  return writeRecords(escapesHalves.has(from) && !escapesHalves.has(to) ? wellFormed(value, notes) : value, question, notes);
}

/** Writes records produced by another work in any of the formats above; tabular formats get one row per record. */
export async function writeRecords(value: Value, { to, options }: Question, notes: Notes): Promise<Converted> {
  const write = writers[to];
  if (write === undefined) throw new Failure("INTERNAL", "No such pair.");
  return await write(value, options, notes, to);
}

/** Reads the value of a text table, workbook or tree. */
export async function readRecords(bytes: Buffer, { from, to, options }: Question, notes: Notes): Promise<Value> {
  const read = readers[from] ?? readSheet;
  const text = (declared?: string) => decodeText(bytes, textOption(options, "encoding") ?? "auto", notes, declared);
  const value = await read({ bytes, from, options, notes, text });
  if (value instanceof NamedRows && value.length === 0 && !tables.has(to))
    noteOnce(notes, "EMPTY_VALUES_DROPPED", "The table has no rows, so its column names were left out.");
  return value;
}
