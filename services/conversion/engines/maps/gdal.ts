/** Maps by GDAL's ogr2ogr: everything is gathered in one GeoPackage and arranged there, so that each format gets what it can hold. */
import { FilemillError, invalidOption } from "#contract/errors.ts";
import { defineEngine, type HopTask } from "#services/conversion/domain/engine.ts";
import { LacksContent } from "#services/conversion/domain/failure.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { firstNames, numberOption } from "../shared/hop-table.ts";
import { withPlainTable } from "../shared/plain-table.ts";
import { openToolSession, probeMs, probeOf, type ToolSession } from "../shared/tool-run.ts";
import { type Arranged, arrange, collectLines, completeGpx, rewriteKml } from "./gdal-arrange.ts";
import { decimals, gdalHops, type Reading, readings, type Writing, writings } from "./gdal-formats.ts";

const program = "/usr/bin/ogr2ogr";
const archiver = "/usr/bin/bsdtar";
const limits = { addressSpace: false, fileBytes: 2 ** 30 };

const settings = {
  GDAL_PAM_ENABLED: "NO",
  // Files and URLs that a GML refers to are never resolved.
  GML_SKIP_RESOLVE_ELEMS: "ALL",
  GDAL_NUM_THREADS: "1",
};

type Work = { readonly session: ToolSession; readonly task: HopTask; readonly drivers: readonly string[] };

/**
 * Enables only these drivers: a file that is not a map but refers to others (virtual layers, web services) is not opened, whatever its
 * name.
 */
function environmentOf(drivers: readonly string[], wanted: readonly string[]): Record<string, string> {
  return { ...settings, OGR_SKIP: drivers.filter((driver) => !wanted.includes(driver)).join(",") };
}

const badInput = [
  /Unable to open datasource|[Pp]arsing error|Parse error|error parsing|XML parsing|Failed to read \w+ data|malformed|is not a valid|Terminating translation prematurely/,
];

const unheld = "The format does not support the map's type of shapes.";

const whyBare: Readonly<Record<string, string>> = {
  csv: ": no column is called lat, lon or wkt",
  shp: ", or the ZIP lacks the .shx file of a shapefile",
};

/** A .shp file alone is not a complete map, and a GeoPackage can be without one. */
const whyUnread: Readonly<Record<string, string>> = {
  shp: "The file is damaged, or is not a zipped shapefile: put the .shp, .shx and .dbf files into one ZIP and convert that.",
  gpkg: "The file is damaged, is not GPKG, or contains only tiles, which are pictures of a map.",
};

async function run(sandbox: Sandbox, drivers: readonly string[], task: HopTask): Promise<void> {
  const reading = readings[task.hop.from];
  const writing = writings[task.hop.to];
  if (reading === undefined || writing === undefined) throw new FilemillError("INTERNAL", "GDAL has no such pair.");
  const upload = `/input/${reading.name}`;
  await using session = await openToolSession(sandbox, task, upload);
  const input = task.hop.from === "geojsonl" ? await collectLines(session, upload) : upload;
  const work = { session, task, drivers };
  const { arranged, source } = (await lookAtJson(work, input)) ?? (await gatherAndArrange(work, reading, input));
  if (arranged.shapes === 0) {
    throw new FilemillError("INVALID_INPUT", `The file contains no places${whyBare[task.hop.from] ?? ""}.`);
  }
  if (arranged.lost === arranged.shapes) throw new LacksContent(unheld);
  noteLeftOut(task, writing, arranged);
  await write(work, writing, arranged, source);
}

type Ready = {
  readonly arranged: Arranged;
  /** GDAL arguments. */
  readonly source: readonly string[];
};

/** Between these two, GDAL preserves lists, ids, and the difference between null and missing, which an intermediate table would not. */
async function lookAtJson({ session, task }: Work, input: string): Promise<Ready | undefined> {
  const { from, to } = task.hop;
  const [reading, isJson] = [readings[from], jsonFormats.has(from) && jsonFormats.has(to)];
  if (reading === undefined || !isJson) return undefined;
  const arranged = await arrange(session, task, input);
  return arranged.isToBeDegrees === true ? undefined : { arranged, source: [input, ...(reading.args ?? [])] };
}

const jsonFormats = new Set(["geojson", "geojsonl"]);

async function gatherAndArrange(work: Work, listed: Reading, input: string): Promise<Ready> {
  const { from } = work.task.hop;
  const isKml = from === "kml" || from === "kmz";
  const reading = { ...listed, paths: isKml ? await rewriteKml(work.session, input) : [`${listed.prefix ?? ""}${input}`] };
  const arrangeIn = async (name: string, { toDegrees, toLines }: Changes): Promise<Ready> => {
    const args = ["-nlt", toLines ? "CONVERT_TO_LINEAR" : "GEOMETRY", ...(toDegrees ? ["-t_srs", "EPSG:4326"] : [])];
    const lists = await gather(work, reading, name, args);
    const arranged = await arrange(work.session, work.task, input, { gathered: `/job/${name}`, lists });
    const { isToBeDegrees = false, curves = 0 } = arranged;
    if (!isToBeDegrees && curves === 0) return { arranged, source: [`/job/${name}`, ...arranged.layers] };
    if ((isToBeDegrees && toDegrees) || (curves > 0 && toLines)) throw new LacksContent(unheld);
    if (isToBeDegrees) work.task.note("METADATA_DROPPED", "Places in other coordinate systems became degrees (WGS 84).");
    if (curves > 0) work.task.note("METADATA_DROPPED", `Curves of ${curves} shapes became straight lines between points.`);
    return await arrangeIn(`again-${name}`, { toDegrees: toDegrees || isToBeDegrees, toLines: toLines || curves > 0 });
  };
  return await arrangeIn("gathered.gpkg", { toDegrees: false, toLines: false });
}

type Changes = { readonly toDegrees: boolean; readonly toLines: boolean };

/** Each layer becomes a table, whatever its shapes. Returns the names of list columns. */
async function gather(
  { session, task, drivers }: Work,
  reading: Reading,
  gathered: string,
  more: readonly string[],
): Promise<readonly string[]> {
  const { driver, args = [], env = {}, runs = [[]], paths = [] } = reading;
  const lists: string[] = [];
  for (const [path, layers] of paths.flatMap((path) => runs.map((layers) => [path, layers] as const))) {
    const end = await session.run({
      program,
      args: [
        ...["-f", "GPKG", `/job/${gathered}`, path, ...layers, "-append", "-addfields"],
        // Names that no column of the file is likely to have.
        ...["-lco", "GEOMETRY_NAME=filemill_geom", "-lco", "FID=filemill_fid", "-lco", "SPATIAL_INDEX=NO", "-unsetFid", ...args, ...more],
      ],
      env: { ...environmentOf(drivers, ["GPKG", driver]), ...env },
      limits,
    });
    throwIfUnturned(end.stderr);
    throwIfFailed(end, badInput, whyUnread[task.hop.from] ?? `The file is damaged, or is not ${task.hop.from.toUpperCase()}.`);
    throwIfClamped(end.stderr);
    noteRenamed(task, end.stderr);
    for (const [, name = ""] of end.stderr.matchAll(/natively support \w{1,20}List type for field ([^\n]{1,200})\. Misconversion/g))
      lists.push(name);
  }
  return lists;
}

/** GDAL's tables ignore case in the names of columns. */
function noteRenamed(task: HopTask, said: string): void {
  const renamed = [...said.matchAll(/Field '([^'\n]{1,100})' already exists\. Renaming it as '([^'\n]{1,100})'/g)];
  const names = [...new Set(renamed.map(([, before, after]) => `${before} → ${after}`))];
  if (names.length > 0) task.note("NAMES_CHANGED", `Names that differ only in capitals got a number: ${firstNames(names, 3)}.`);
}

/** GDAL cannot turn an empty point into degrees either. */
function throwIfUnturned(said: string): void {
  const [found, place] = /Failed to reproject feature (\d{1,20})/.exec(said) ?? [];
  if (found === undefined) return;
  const what = `Feature ${place} is empty, or outside the area of its coordinate system, and cannot be turned into degrees`;
  throw new FilemillError("INPUT_TOO_COMPLEX", `${what}; GPKG keeps it as it is.`);
}

/** GDAL has 64-bit integers and clamps larger ones. */
function throwIfClamped(said: string): void {
  if (!said.includes("64bit integer range")) return;
  throw new FilemillError(
    "INPUT_TOO_COMPLEX",
    "The map has integers of more than 64 bits, which no map format supports; write them as text.",
  );
}

function noteLeftOut(task: HopTask, { needsShapes, isBare, isTable }: Writing, { shapes, lost, bare }: Arranged): void {
  const left = [
    ...(lost > 0 ? [`${lost} of ${shapes} shapes were left out, because the format does not support them.`] : []),
    ...(bare > 0 && needsShapes === true ? [`${bare} entries without a shape were left out.`] : []),
    ...(isTable === true ? ["The shapes were left out, because the format stores only values."] : []),
  ];
  if (left.length > 0) task.note("ENTRIES_LEFT_OUT", left.join(" "));
  if (task.hop.to === "fgb" && shapes > 1)
    task.note("METADATA_DROPPED", "The order of the shapes was left out, because the format sorts them by place.");
  if (isBare === true)
    task.note("METADATA_DROPPED", "The attribute values of the shapes and the name of their coordinate system were left out.");
}

async function write({ session, task, drivers }: Work, writing: Writing, arranged: Arranged, source: readonly string[]): Promise<void> {
  const { driver, name, args = [] } = writing;
  const readers = jsonFormats.has(task.hop.from) ? ["GPKG", readings[task.hop.from]?.driver ?? ""] : ["GPKG"];
  const end = await session.run({
    program,
    args: ["-f", driver, `/job/${name}`, ...source, ...args, ...argsOf(task, arranged)],
    env: environmentOf(drivers, [...readers, driver]),
    limits,
  });
  if (end.exitCode !== 0) throw failed(task, end.stderr);
  throwIfClamped(end.stderr);
  noteRenamed(task, end.stderr);
  if (arranged.hasPoints) await completeGpx(session, name);
  if (task.hop.to === "georss") await declarePrefix(session, name);
  if (writing.isPacked !== true) return await session.adopt(name);
  const packed = await session.run({ program: archiver, args: ["-cf", "/job/out.zip", "--format=zip", "-C", "/job", name], limits });
  if (packed.exitCode !== 0) throw failed(task);
  await session.adopt("out.zip");
}

/** GDAL prefixes the names of values without declaring the namespace. */
async function declarePrefix(session: ToolSession, name: string): Promise<void> {
  const declared = 's|<rss |<rss xmlns:ogr="http://ogr.maptools.org/" |';
  const end = await session.run({ program: "/bin/sed", args: ["-i", `1,3${declared}`, `/job/${name}`], limits });
  if (end.exitCode !== 0) throw new FilemillError("CONVERSION_FAILED", "The feed could not be completed.");
}

function argsOf({ hop, options }: HopTask, { hasHeights, hasLongReals }: Arranged): readonly string[] {
  const crs = numberOption(options, "crs");
  const precision = numberOption(options, "precision") ?? decimals;
  const points = hasHeights ? "AS_XYZ" : "AS_XY";
  return [
    ...(crs === undefined ? [] : ["-t_srs", `EPSG:${crs}`]),
    ...(hop.to === "geojson" ? ["-lco", `COORDINATE_PRECISION=${precision}`] : []),
    ...(hop.to === "csv" ? ["-lco", `GEOMETRY=${options["geometry"] === "xy" ? points : "AS_WKT"}`] : []),
    // With fewer digits 0.30000000000000004 would become 0.3, with more 0.1 would become 0.10000000000000000555.
    ...(hasLongReals && (hop.to === "geojson" || hop.to === "geojsonl") ? ["-lco", "SIGNIFICANT_FIGURES=20"] : []),
  ];
}

function failed(task: HopTask, said = ""): FilemillError {
  if (/crs_not_found|not recognised|EPSG|Failed to process SRS/i.test(said) && task.options["crs"] !== undefined) {
    return invalidOption("crs", "No such coordinate system, or the map cannot be projected to it.", "an EPSG number");
  }
  return new FilemillError("CONVERSION_FAILED", `The map could not be written as ${task.hop.to.toUpperCase()}.`);
}

/** Short names of all drivers in this GDAL build. */
async function driversOf(sandbox: Sandbox): Promise<readonly string[]> {
  const end = await sandbox.run({ program: "/usr/bin/ogrinfo", args: ["--formats"], limits: { addressSpace: false, wallMs: probeMs } });
  const names = [...end.stdout.matchAll(/^ {2}(\S.{0,80}?) -([a-z,]{1,80})- /gm)]
    .filter(([, , kinds = ""]) => kinds.split(",").includes("vector"))
    .map(([, name = ""]) => name);
  if (!names.includes("GPKG")) throw new FilemillError("UNAVAILABLE", "GDAL did not list the formats it can read.");
  return names;
}

export const gdalEngine = defineEngine({
  id: "gdal",
  label: "GDAL",
  lane: "document",
  packages: ["gdal-bin"],
  hops: gdalHops,
  badInput,
  probe: probeOf(program, ["--version"], /GDAL (\d[\d.]*)/),
  async open(host) {
    const { sandbox } = host;
    let drivers: Promise<readonly string[]> | undefined;
    return {
      async run(task) {
        drivers ??= driversOf(sandbox);
        drivers.catch(() => {
          drivers = undefined;
        });
        const known = await drivers;
        // GDAL guesses the separator from the first row, and parses 007 as a number.
        if (task.hop.from === "csv") await withPlainTable(host, task, (plain) => run(sandbox, known, plain));
        else await run(sandbox, known, task);
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
});
