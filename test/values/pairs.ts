/** Pairs of formats whose values are compared, and what goes along each of them. */
import type fc from "fast-check";
import { dataHops } from "#services/conversion/engines/data-hops.ts";
import { settings, tables, trees } from "./arbitraries.ts";
import { recordsOf, type Said, type SaidTable } from "./said.ts";

export type Pair = { readonly from: string; readonly to: string; readonly sort: string; readonly given: fc.Arbitrary<Said | SaidTable> };

const words = (text: string) => new Set(text.split(" "));
const treeFormats = words("json yaml json5 msgpack cbor bson ndjson toml xml plist");
const settingFormats = words("ini properties");
const tableFormats = words("csv tsv psv avro sqlite xlsx xls");
/** For others there is no independent reader or writer. */
const readable = new Set([...treeFormats, ...settingFormats, ...tableFormats]);

const records = tables.map(recordsOf);

function sortsOf(from: string, to: string): readonly (readonly [string, Pair["given"]])[] {
  if (settingFormats.has(from) || settingFormats.has(to)) return [["settings", settings]];
  if (tableFormats.has(from)) return [["table", tables]];
  const table = ["records", records] as const;
  return tableFormats.has(to) || from === "ndjson" || to === "ndjson" || to === "bson" || from === "bson"
    ? [table]
    : [["tree", trees], table];
}

export const dataPairs: readonly Pair[] = dataHops
  .filter(({ from, to }) => readable.has(from) && readable.has(to))
  .flatMap(({ from, to }) => sortsOf(from, to).map(([sort, given]) => ({ from, to, sort, given })));
