/** Pairs of formats whose values are compared, and the values for each. */
import type fc from "fast-check";
import { dataHops } from "#services/conversion/engines/data/data-hops.ts";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { settings, tables, trees } from "./arbitraries.ts";
import { archiveJudge, archives } from "./archives.ts";
import { calendarJudge, calendars } from "./calendars.ts";
import { cardTableJudge, cardTables } from "./card-tables.ts";
import { contactJudge, contacts } from "./contacts.ts";
import type { Judge } from "./difference.ts";
import { dataJudge } from "./judge.ts";
import { mapJudge, maps } from "./maps.ts";
import { recordsOf, type Said, type SaidTable } from "./said.ts";
import { subtitleJudge, subtitles } from "./subtitles.ts";

export type Pair = {
  readonly from: string;
  readonly to: string;
  readonly sort: string;
  readonly given: fc.Arbitrary<Said | SaidTable>;
  readonly judge: Judge;
};

const words = (text: string) => new Set(text.split(" "));
const treeFormats = words("json yaml json5 msgpack cbor bson ndjson toml xml plist");
const settingFormats = words("ini properties");
const tableFormats = words("csv tsv psv avro sqlite xlsx xls");
/** For other formats there is no independent reader or writer. */
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

const dataPairs: readonly Pair[] = dataHops
  .filter(({ from, to }) => readable.has(from) && readable.has(to))
  .flatMap(({ from, to }) => sortsOf(from, to).map(([sort, given]) => ({ from, to, sort, given, judge: dataJudge })));

/** Pairs of one kind, all with the same values. */
function pairsOf(
  judge: Judge,
  sort: string,
  given: Pair["given"],
  sources: ReadonlySet<string>,
  targets: ReadonlySet<string> = sources,
): readonly Pair[] {
  return judge.engine.hops
    .filter(({ from, to }) => from !== to && sources.has(from) && targets.has(to))
    .map(({ from, to }) => ({ from, to, sort, given, judge }));
}

const recordFormats = words("html txt json ndjson yaml xml csv tsv xlsx");

const otherPairs: readonly Pair[] = [
  ...pairsOf(subtitleJudge, "subtitles", subtitles, words("srt vtt ass ssa ttml smi sub sbv lrc")),
  ...["2.1", "3.0", "4.0"].flatMap((version) =>
    pairsOf(contactJudge, `contacts ${version}`, contacts(version), words("vcf"), recordFormats),
  ),
  ...pairsOf(cardTableJudge, "table of contacts", cardTables, words("csv tsv xlsx"), words("vcf")),
  ...pairsOf(cardTableJudge, "records of contacts", cardTables.map(recordsOf), words("json"), words("vcf")),
  ...pairsOf(calendarJudge, "calendar", calendars, words("ics"), recordFormats),
  ...pairsOf(mapJudge, "map", maps, words("geojson geojsonl kml gpx shp gpkg"), words("geojson geojsonl kml kmz gpx shp gpkg csv")),
  // Booleans of XLS become numbers in ODS.
  ...pairsOf({ ...dataJudge, engine: libreofficeEngine }, "table of an office", tables, words("xlsx"), words("ods fods xls")),
  // An ISO has two sets of names, and systems read one or the other.
  ...pairsOf(archiveJudge, "archive", archives, words("tar tgz tbz2 txz zip"), words("tar tgz tbz2 txz zip 7z cpio")),
];

export const valuePairs: readonly Pair[] = [...dataPairs, ...otherPairs];
