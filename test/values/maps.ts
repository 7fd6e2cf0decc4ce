/** Maps whose shapes, names and values programs tend to change. */
import fc from "fast-check";
import { gdalEngine } from "#services/conversion/engines/maps/gdal.ts";
import type { Difference, Judge } from "./difference.ts";
import { textOf } from "./records.ts";
import { digitsOf, isList, isMap, type Said, type SaidTable } from "./said.ts";

const texts = [
  ...'a|A B|Müller|日本語|👩‍👩‍👧‍👦|שלום|e\u0301|a,b|a;b|"a"|\'|<b>&amp;</b>|]]>|007|1.10|TRUE|2024-01-02|2024-01-02T03:04:05Z|10:20|(2:a,b)|{"a":1}|[1]|null'.split(
    "|",
  ),
  "",
  " a",
  "a ",
  "a\nb",
  "a\tb",
  "a\u0001b",
  "x".repeat(254),
  "x".repeat(300),
  "ü".repeat(200),
];
const numbers =
  "0 -1 1.5 0.1 0.30000000000000004 2147483648 9007199254740993 9223372036854775807 1e300 5e-324 123456789012345.6 -0.000001234567890123".split(
    " ",
  );
const number = fc.constantFrom(...numbers).map((text): Said => ({ n: digitsOf(text) ?? "0" }));
const value: fc.Arbitrary<Said> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...texts).map((t): Said => ({ t })) },
  { weight: 3, arbitrary: number },
  { weight: 1, arbitrary: fc.boolean() as fc.Arbitrary<Said> },
  { weight: 1, arbitrary: fc.constant<Said>(null) },
  { weight: 1, arbitrary: fc.constantFrom<Said>([{ n: "1" }, { n: "2" }], [{ t: "a,b" }, { t: "c" }], { m: [["a", { n: "1" }]] }) },
);
const names = [
  ..."a|A|b|averylongname1|averylongname2|a b|ä|1a|a.b|a:b|name|Name|description|desc|fid|id|FID|geom|WKT|x|time|ele|type|link|sym|日本語".split(
    "|",
  ),
  "n".repeat(70),
];

const degrees = fc.oneof(
  fc.tuple(fc.double({ min: -180, max: 180, noNaN: true }), fc.double({ min: -85, max: 85, noNaN: true })),
  fc.constantFrom<[number, number]>([180, 0], [-180, -85], [0.1, 0.2], [8.123456789012344, 47.12345678901234], [179.9999999, 1e-7]),
);
const height = fc.constantFrom(0, 400.5, -11_000, 8848.86, 0.1);
const place = (isHigh: boolean) => fc.tuple(degrees, height).map(([[x, y], z]) => (isHigh ? [x, y, z] : [x, y]));
const square = (isHigh: boolean) =>
  fc.tuple(place(isHigh), fc.constantFrom(1, 0.25)).map(([[x = 0, y = 0, ...z], size]) => {
    const [left, low] = [Math.min(x, 178), Math.min(y, 80)];
    return [
      [left, low],
      [left + size, low],
      [left + size, low + size],
      [left, low + size],
      [left, low],
    ].map((each) => [...each, ...z]);
  });
const shape = fc.boolean().chain((isHigh) => {
  const line = fc.array(place(isHigh), { minLength: 2, maxLength: 4 });
  const of = (type: string, coordinates: fc.Arbitrary<unknown>) => coordinates.map((each) => JSON.stringify({ type, coordinates: each }));
  return fc.oneof(
    { weight: 3, arbitrary: of("Point", place(isHigh)) },
    of("MultiPoint", fc.array(place(isHigh), { minLength: 1, maxLength: 3 })),
    { weight: 2, arbitrary: of("LineString", line) },
    of("MultiLineString", fc.array(line, { minLength: 1, maxLength: 2 })),
    {
      weight: 2,
      arbitrary: of(
        "Polygon",
        square(isHigh).map((each) => [each]),
      ),
    },
    of(
      "MultiPolygon",
      fc.array(
        square(isHigh).map((each) => [each]),
        { minLength: 1, maxLength: 2 },
      ),
    ),
  );
});

const distinct = (all: readonly number[][]) => all.every((each, at) => at === 0 || each.join() !== all[at - 1]?.join());
const isProper = (text: string) => {
  const { type, coordinates } = JSON.parse(text);
  return type === "LineString" ? distinct(coordinates) : type === "MultiLineString" ? coordinates.every(distinct) : true;
};

/** Each feature has a unique key, by which it is found again. */
export const maps: fc.Arbitrary<Said> = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }),
    fc.tuple(shape.filter(isProper), fc.array(value, { minLength: 4, maxLength: 4 })),
    fc.array(fc.tuple(fc.option(shape.filter(isProper), { freq: 8 }), fc.array(value, { minLength: 4, maxLength: 4 })), { maxLength: 2 }),
  )
  .map(([columns, first, more]) => [columns, [first, ...more]] as const)
  .map(([columns, features]) =>
    features.map(([form, values], at) => ({
      m: [
        ["shape", form === null ? null : { t: form }] as const,
        [
          "values",
          { m: [["key", { t: `k${at}` }] as const, ...columns.map((name, column) => [name, values[column] ?? null] as const)] },
        ] as const,
      ],
    })),
  );

type Feature = { readonly shape: string | null; readonly values: readonly (readonly [string, Said])[] };

function featuresIn(said: Said): readonly Feature[] {
  return (isList(said) ? said : []).map((each) => {
    const { shape: form = null, values = null } = Object.fromEntries(isMap(each) ? each.m : []);
    return { shape: form === null ? null : textOf(form), values: isMap(values) ? values.m : [] };
  });
}

const keyOf = ({ values }: Feature) => values.map(([, each]) => textOf(each)).find((text) => /^k\d$/.test(text));
const isEmpty = (said: Said | undefined) => said === undefined || said === null || textOf(said) === "";
/** As in JSON: the form of lists and maps in a text column. */
function jsonOf(said: Said): string {
  if (isList(said)) return JSON.stringify(said.map((each) => JSON.parse(jsonOf(each))));
  if (isMap(said)) return JSON.stringify(Object.fromEntries(said.m.map(([name, each]) => [name, JSON.parse(jsonOf(each))])));
  if (said === null || typeof said === "boolean") return String(said);
  return "n" in said ? String(Number(said.n)) : JSON.stringify(textOf(said));
}

/** Formats without types. */
const untyped = new Set(["gpx", "csv"]);
const visible = (text: string) => text.replace(/[\p{Cc}\ufffd]/gu, "");

/** How a value changed; undefined if it did not. */
function changeOf(was: Said, is: Said, to: string): string | undefined {
  if (JSON.stringify(was) === JSON.stringify(is)) return undefined;
  if (isEmpty(was) && isEmpty(is)) return was === null ? undefined : "empty";
  const [one, other] = [textOf(was), textOf(is)];
  const type = untyped.has(to) ? undefined : "type";
  // pyshp drops the blanks before a text.
  if (to === "shp" && one.trimStart() === other) return undefined;
  // GDAL gives all values of a property one type.
  if (isList(is) && JSON.stringify(is) === JSON.stringify([was])) return "type";
  if (isList(was) || isMap(was)) return compact(other) === compact(jsonOf(was)) ? type : "other";
  if (typeof was === "boolean" && Number(other) === Number(was)) return type;
  if (typeof was === "boolean") return [one, String(Number(was))].includes(other.toLowerCase()) ? type : "other";
  const [first, second] = [digitsOf(one), digitsOf(other)];
  if (was !== null && "n" in was && second !== undefined) {
    if (first === second) return is !== null && typeof is === "object" && "n" in is ? undefined : type;
    // The same double with more digits.
    if (Number(one) === Number(other)) return is !== null && typeof is === "object" && "n" in is ? undefined : type;
    return Math.abs(Number(one) - Number(other)) <= 1e-9 * Math.abs(Number(one)) ? "rounded" : "other";
  }
  if (one === other) return type;
  return visible(one).trim() === visible(other).trim() ? "text" : "other";
}
const compact = (text: string) => text.replace(/\s/g, "");

function shapeChange(was: string | null, is: string | null): string | undefined {
  if (was === is) return undefined;
  if (was === null || is === null) return "shape";
  const [[family, parts], [other, made]] = [JSON.parse(was), JSON.parse(is)];
  const flat = (all: readonly number[][][], width: number) => all.map((part) => part.map((each) => each.slice(0, width)));
  const near = (one: readonly unknown[], two: readonly unknown[], limit: number): boolean =>
    one.length === two.length &&
    one.every((each, at) => {
      const same = two[at];
      if (Array.isArray(each)) return Array.isArray(same) && near(each, same, limit);
      return Math.abs(Number(each) - Number(same)) < limit;
    });
  if (family !== other) return "shape";
  // A thousandth of a millimetre does not count.
  if (near(parts, made, 1e-11)) return undefined;
  if (near(parts, made, 1e-6)) return "rounded";
  return near(flat(parts, 2), flat(made, 2), 1e-6) ? "height" : "shape";
}

function differencesOf(was: Said | SaidTable, is: Said | SaidTable, from: string, to: string): readonly Difference[] {
  const [given, made] = [was, is].map((each) => featuresIn(each as Said).map((feature) => evened(feature, from))) as [Feature[], Feature[]];
  return given.flatMap((feature) => {
    const key = keyOf(feature) ?? "";
    const all = made.filter((each) => keyOf(each) === key);
    const [match] = all;
    if (match === undefined) return [{ change: "entry", place: key, was: String(feature.shape), is: "(missing)" }];
    const form = all.length > 1 ? joined(all) : match.shape;
    const change = shapeChange(feature.shape, form);
    return [
      ...(change === undefined ? [] : [{ change, place: `${key} shape`, was: String(feature.shape), is: String(form) }]),
      ...valueDifferences(feature, match, key, to),
    ];
  });
}

/** A multipoint may have become several features. */
function joined(all: readonly Feature[]): string {
  const shapes = all.map(({ shape: form }) => JSON.parse(form ?? "[]"));
  return JSON.stringify([shapes[0]?.[0], shapes.flatMap(([, parts]) => parts)]).replace(/,/g, ", ");
}

function valueDifferences(feature: Feature, match: Feature, key: string, to: string): readonly Difference[] {
  const left = [...match.values];
  const found: Difference[] = [];
  const waiting: (readonly [string, Said])[] = [];
  for (const [name, each] of feature.values) {
    const at = left.findIndex(([other, value]) => isSameName(name, other, to) && (each === null || changeOf(each, value, to) !== "other"));
    const [one] = at < 0 ? [] : left.splice(at, 1);
    if (one === undefined) {
      waiting.push([name, each]);
      continue;
    }
    // Elements have no types; lists in a GeoPackage have a declared one.
    const isOfElement = /^(kml|kmz|gpx)$/.test(to) && one[0] in ownNames;
    const isJson = to === "gpkg" && (isList(each) || isMap(each));
    const changed = changeOf(each, one[1], to);
    const change = changed === "type" && (isOfElement || isJson) ? undefined : changed;
    if (change !== undefined) found.push({ change, place: `${key}.${name}`, was: JSON.stringify(each), is: JSON.stringify(one[1]) });
  }
  for (const [name, each] of waiting) {
    const at = left.findIndex(([, value]) => changeOf(each, value, to) !== "other" && !(isEmpty(value) && !isEmpty(each)));
    const [one] = at < 0 ? [] : left.splice(at, 1);
    const change = one === undefined ? (isEmpty(each) ? (each === null ? undefined : "empty") : "other") : "name";
    if (change !== undefined)
      found.push({ change, place: `${key}.${name}`, was: JSON.stringify(each), is: JSON.stringify(one ?? match.values).slice(0, 300) });
  }
  const extra = left.filter(([name, each]) => !isEmpty(each) && !own.has(name.toLowerCase()));
  return [
    ...found,
    ...extra.map(([name, each]) => ({ change: "other", place: `${key}.${name}`, was: "(missing)", is: JSON.stringify(each) })),
  ];
}

/** Names and descriptions have dedicated elements, whatever their spelling in the source. */
const isSameName = (was: string, is: string, to: string) =>
  was === is ||
  // The element of KML, as GDAL calls it.
  (was === "name" && is === "Name") ||
  (/^(kml|kmz|gpx)$/.test(to) && is === (ownNames[was.toLowerCase()] ?? "") && !(to !== "gpx" && is === "desc"));
const ownNames: Readonly<Record<string, string>> = { name: "name", description: "description", desc: "desc" };

/** Values that formats add; a height may be repeated. */
const own = new Set(["tessellate", "extrude", "visibility", "ele", "track_fid", "track_seg_id"]);
/** Outer blanks are formatting of the file, and dBase has no empty text. Most formats have no type for dates. */
const evened = (feature: Feature, from: string): Feature => ({
  ...feature,
  values: feature.values.map(([name, each]) => {
    if (each === null || typeof each !== "object" || !("t" in each || "s" in each)) return [name, each] as const;
    const text = textOf(each).replace(/(T[\d:]{8})\.000Z$/, "$1Z");
    const isPadded = from === "kml" || from === "shp";
    return [name, isPadded && text.trim() === "" ? null : { t: isPadded ? text.trim() : text }] as const;
  }),
});

export const mapJudge: Judge = {
  engine: gdalEngine,
  differencesOf,
  readAs: (to) => (to === "csv" ? "map.csv" : to),
  excuses: {
    entry: ["ENTRIES_LEFT_OUT"],
    shape: ["ENTRIES_LEFT_OUT"],
    height: ["METADATA_DROPPED", "EMPTY_VALUES_DROPPED"],
    rounded: ["NUMBERS_ROUNDED"],
    type: ["TYPES_AS_TEXT"],
    name: ["NAMES_CHANGED"],
    empty: ["EMPTY_VALUES_DROPPED"],
    text: ["CHARACTERS_REPLACED"],
  },
};
