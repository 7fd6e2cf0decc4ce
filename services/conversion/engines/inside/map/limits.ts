/** What each map format cannot hold, or GDAL does not write to it unchanged. */
import type { ColumnType } from "./columns.ts";
import type { Sort } from "./shape.ts";

/** Whether values that become text are noted; not for a text format without types. */
export type Texting = "silently" | "noted";

export type Real = "exact" | "rounded" | "lost";

export type Limits = {
  /** Types that are written as text. */
  readonly texts?: Readonly<Partial<Record<ColumnType, Texting>>>;
  /** Integers beyond this in either direction are written as text. */
  readonly integers?: { readonly most: bigint; readonly texting: Texting };
  readonly reals?: { readonly fate: (value: number) => Real; readonly texting: Texting };
  readonly names?: "dbase" | "xml" | "rss" | "word";
  /** Limit per text. */
  readonly textBytes?: number;
  /** `all`: for all shapes of a layer or for none. */
  readonly heights?: "all" | "none";
  readonly measures?: "all" | "none";
  readonly isXml?: true;
  /** It has fields for the values of a track's single points, and a column for point heights. */
  readonly takesPointValues?: true;
  /** GDAL writes texts for which this SQL holds as elements, or as lists and objects. */
  readonly misread?: string;
  /** Empty text becomes null. */
  readonly losesEmptyTexts?: true;
  /** Outer blanks of texts for which this SQL holds are lost. */
  readonly losesBlanks?: string;
  /** The kinds of shapes that it can hold, one per layer, with an extra layer for those with heights if `heights` says so. */
  readonly sorts?: readonly Sort[];
  /** A multipoint becomes several features. */
  readonly isExploded?: true;
  /** Only a single point, a single line, or one area without holes; other features lose their shape. */
  readonly isSimple?: true;
  /** Features without a shape are left out. */
  readonly needsShapes?: true;
  /** Only single points. */
  readonly isOfPoints?: true;
  /** Decimals of coordinates in degrees, and in other units. */
  readonly decimals?: readonly [degrees: number, others: number];
  /** Rings of areas are oriented as in RFC 7946. */
  readonly isRightHanded?: true;
  /** Only degrees of WGS 84. */
  readonly isInDegrees?: true;
  /** Names coordinate systems only by their registered code. */
  readonly systems?: "coded";
};

/** GDAL writes 15 digits. */
export const digits15 = (value: number): Real => (Number(value.toPrecision(15)) === value ? "exact" : "lost");

/** GDAL writes columns of 24 characters with 15 decimals and truncates anything longer. */
function dbaseReal(value: number): Real {
  const text = Math.abs(value) < 1e21 ? value.toFixed(15).slice(0, 24) : "";
  const read = text === "" ? Number.NaN : Number(text);
  if (read === value) return "exact";
  return Math.abs(read - value) <= 1e-9 * Math.abs(value) ? "rounded" : "lost";
}

/** GDAL writes up to 15 decimals and no exponent. */
const decimals15 = (value: number): Real => (Math.abs(value) < 1e15 && Number(value.toFixed(15)) === value ? "exact" : "lost");

/** Integers that a double holds exactly. */
const doubles = 2n ** 53n;
/** Integers that fit in 15 digits. */
const fifteen = 10n ** 15n;

const untyped: Limits = {
  texts: { boolean: "silently", date: "silently", stamp: "silently", bytes: "noted" },
  reals: { fate: digits15, texting: "silently" },
};
const typedXml: Limits = {
  texts: { boolean: "noted", date: "noted", stamp: "noted", bytes: "noted", json: "noted" },
  integers: { most: fifteen, texting: "noted" },
  reals: { fate: digits15, texting: "noted" },
  measures: "none",
  isXml: true,
  losesBlanks: "? GLOB ' *'",
  isInDegrees: true,
};

const json: Limits = {
  texts: { bytes: "noted" },
  measures: "none",
  isRightHanded: true,
  isInDegrees: true,
  // 2 allows JSON5, of which GDAL's parser accepts parts.
  misread: "(? GLOB '[[]*]' OR ? GLOB '{*}') AND json_valid(?, 2)",
};

export const limitsOf: Readonly<Record<string, Limits>> = {
  geojson: json,
  geojsonl: json,
  kml: typedXml,
  kmz: typedXml,
  gpx: {
    ...untyped,
    measures: "none",
    reals: { fate: decimals15, texting: "silently" },
    integers: { most: fifteen, texting: "silently" },
    names: "xml",
    isXml: true,
    sorts: ["points", "lines"],
    isExploded: true,
    misread: "? GLOB '<*>'",
    takesPointValues: true,
    isInDegrees: true,
  },
  shp: {
    texts: { boolean: "noted", stamp: "noted", bytes: "noted", json: "noted" },
    integers: { most: 10n ** 17n, texting: "noted" },
    reals: { fate: dbaseReal, texting: "noted" },
    names: "dbase",
    textBytes: 254,
    heights: "all",
    measures: "all",
    losesEmptyTexts: true,
    // Fields are padded.
    losesBlanks: "? GLOB '* '",
    sorts: ["points", "multipoints", "lines", "areas"],
  },
  gpkg: {},
  gml: { ...untyped, measures: "none", texts: { bytes: "noted" }, names: "xml", isXml: true, systems: "coded" },
  fgb: { texts: { date: "noted" }, heights: "all", measures: "all" },
  gdb: {
    texts: { boolean: "noted", date: "noted", stamp: "noted", json: "noted" },
    integers: { most: doubles, texting: "noted" },
    names: "word",
    // GDAL's grid.
    decimals: [9, 4],
    heights: "all",
    measures: "all",
    sorts: ["points", "multipoints", "lines", "areas"],
  },
  dgn: { needsShapes: true, measures: "none" },
  dxf: { needsShapes: true, measures: "none" },
  georss: {
    ...untyped,
    measures: "none",
    integers: { most: fifteen, texting: "silently" },
    isSimple: true,
    names: "rss",
    heights: "none",
    isXml: true,
    isInDegrees: true,
  },
  jml: { ...untyped, measures: "none", isXml: true, losesEmptyTexts: true, systems: "coded" },
  mapml: { ...untyped, measures: "none", decimals: [8, 8], heights: "none", isXml: true },
  mbtiles: { decimals: [0, 0], heights: "none", measures: "none" },
  csv: { ...untyped, isInDegrees: true },
  xlsx: {
    texts: { stamp: "noted", bytes: "noted", json: "noted" },
    integers: { most: fifteen, texting: "noted" },
    reals: { fate: digits15, texting: "noted" },
    isXml: true,
  },
  pdf: {},
};
