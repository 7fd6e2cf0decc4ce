/** Maps by GDAL's ogr2ogr: everything is gathered in one GeoPackage first, so that each format gets the layers that it can hold. */
import { FilemillError } from "#kit/errors.ts";
import { defineEngine, type HopTask } from "../domain/engine.ts";
import type { Sandbox } from "../domain/sandbox.ts";
import { throwIfFailed } from "./bad-input.ts";
import { gdalHops, type Reading, readings, type Sort, type Writing, writings } from "./gdal-formats.ts";
import { numberOption } from "./hop-table.ts";
import { openToolSession, probeMs, type ToolSession, versionLineOf } from "./tool-run.ts";

const program = "/usr/bin/ogr2ogr";
const limits = { addressSpace: false, fileBytes: 2 ** 30 };
const gathered = "/job/gathered.gpkg";

const settings = {
  GDAL_PAM_ENABLED: "NO",
  // Neither files nor addresses that a GML names are looked up.
  GML_SKIP_RESOLVE_ELEMS: "ALL",
  GDAL_NUM_THREADS: "1",
};

const shapesOf: Readonly<Record<Sort, readonly [single: string, multiple: string]>> = {
  points: ["POINT", "MULTIPOINT"],
  lines: ["LINESTRING", "MULTILINESTRING"],
  areas: ["POLYGON", "MULTIPOLYGON"],
};
const sorts = ["points", "lines", "areas"] as const;

type Work = { readonly session: ToolSession; readonly task: HopTask; readonly drivers: readonly string[] };

/**
 * Only these drivers open or write anything: a file that is no map but names others (virtual layers, web services),
 * whatever it is called, is not understood.
 */
function environmentOf(drivers: readonly string[], wanted: readonly string[]): Record<string, string> {
  return { ...settings, OGR_SKIP: drivers.filter((driver) => !wanted.includes(driver)).join(",") };
}

const badInput = [
  /Unable to open datasource|[Pp]arsing error|Parse error|error parsing|XML parsing|Failed to read \w+ data|malformed|is not a valid|Terminating translation prematurely/,
];

async function run(sandbox: Sandbox, drivers: readonly string[], task: HopTask): Promise<void> {
  const reading = readings[task.hop.from];
  const writing = writings[task.hop.to];
  if (reading === undefined || writing === undefined) throw new FilemillError("INTERNAL", "GDAL has no such pair.");
  await using session = await openToolSession(sandbox, task, `/input/${reading.name}`);
  const work = { session, task, drivers };
  await gather(work, reading);
  const counts = await count(work);
  const total = Object.values(counts).reduce((sum, number) => sum + number, 0);
  if (total === 0) {
    throw new FilemillError(
      "INVALID_INPUT",
      `The file holds no places${task.hop.from === "csv" ? ": no column is called lat, lon or wkt" : ""}.`,
    );
  }
  const wanted = writing.sorts?.filter((sort) => (counts[sort] ?? 0) > 0) ?? [];
  if (writing.sorts !== undefined) {
    const kept = wanted.reduce((sum, sort) => sum + (counts[sort] ?? 0), 0);
    if (kept === 0) throw new FilemillError("CONVERSION_FAILED", "The format cannot hold shapes of the sort that the map has.");
    if (kept < total) task.note("ENTRIES_LEFT_OUT", `${total - kept} of ${total} shapes were left out, as the format cannot hold them.`);
    for (const sort of wanted) await sortOut(work, sort, writing);
  }
  if (writing.isBare === true) task.note("METADATA_DROPPED", "The values of the shapes were left out.");
  await write(work, writing, wanted);
}

/** All layers in one table, whatever shapes they hold. */
async function gather({ session, task, drivers }: Work, { driver, name, prefix = "", args = [], runs = [[]] }: Reading): Promise<void> {
  for (const layers of runs) {
    const end = await session.run({
      program,
      args: [
        ...["-f", "GPKG", gathered, `${prefix}/input/${name}`, ...layers, "-nln", "data", "-append", "-addfields"],
        ...["-nlt", "GEOMETRY", "-lco", "GEOMETRY_NAME=geom", "-unsetFid", ...args],
      ],
      env: environmentOf(drivers, ["GPKG", driver]),
      limits,
    });
    throwIfFailed(end, badInput, `The file is damaged, or is not ${task.hop.from.toUpperCase()}.`);
  }
}

/** How many shapes of each sort there are; those of no sort are under `others`. */
async function count({ session, drivers }: Work): Promise<Readonly<Record<string, number>>> {
  const sql = "SELECT ST_GeometryType(geom) AS sort, count(*) AS number FROM data WHERE geom IS NOT NULL GROUP BY 1";
  const end = await session.run({
    program: "/usr/bin/ogrinfo",
    args: ["-ro", "-q", gathered, "-sql", sql],
    env: environmentOf(drivers, ["GPKG"]),
    limits,
  });
  const found: Record<string, number> = {};
  for (const [, shape = "", number = "0"] of end.stdout.matchAll(/sort \(String\) = (\w+)\n\s+number \(Integer(?:64)?\) = (\d+)/g)) {
    const sort = sorts.find((each) => shapesOf[each].includes(shape)) ?? "others";
    found[sort] = (found[sort] ?? 0) + Number(number);
  }
  return found;
}

/** A table of its own for one sort of shapes, as several or, where the format has no such thing, one by one. */
async function sortOut({ session, task, drivers }: Work, sort: Sort, writing: Writing): Promise<void> {
  const [single, multiple] = shapesOf[sort];
  const isSingle = sort === "points" && writing.driver === "GPX";
  const end = await session.run({
    program,
    args: [
      ...["-f", "GPKG", "/job/sorted.gpkg", gathered, "-append", "-nln", sort, "-nlt", isSingle ? single : multiple],
      ...(isSingle ? ["-explodecollections"] : []),
      ...["-sql", `SELECT * FROM data WHERE ST_GeometryType(geom) IN ('${single}', '${multiple}')`],
    ],
    env: environmentOf(drivers, ["GPKG"]),
    limits,
  });
  if (end.exitCode !== 0) throw failed(task);
}

async function write({ session, task, drivers }: Work, writing: Writing, layers: readonly Sort[]): Promise<void> {
  const { driver, name, args = [] } = writing;
  const crs = numberOption(task.options, "crs");
  const precision = numberOption(task.options, "precision");
  const source = writing.sorts === undefined ? [gathered, "data"] : ["/job/sorted.gpkg", ...layers];
  const end = await session.run({
    program,
    args: [
      ...["-f", driver, `/job/${name}`, ...source, ...args],
      ...(crs === undefined ? [] : ["-t_srs", `EPSG:${crs}`]),
      ...(precision === undefined ? [] : ["-lco", `COORDINATE_PRECISION=${precision}`]),
      ...(task.hop.to === "csv" ? ["-lco", `GEOMETRY=${task.options["geometry"] === "xy" ? "AS_XY" : "AS_WKT"}`] : []),
    ],
    env: environmentOf(drivers, ["GPKG", driver]),
    limits,
  });
  if (end.exitCode !== 0) throw failed(task, end.stderr);
  if (writing.isFolder !== true) return await session.adopt(name);
  const packed = await session.run({
    program: "/usr/bin/bsdtar",
    args: ["-cf", "/job/out.zip", "--format=zip", "-C", "/job", name],
    limits,
  });
  if (packed.exitCode !== 0) throw failed(task);
  await session.adopt("out.zip");
}

function failed(task: HopTask, said = ""): FilemillError {
  if (/crs_not_found|not recognised|EPSG|Failed to process SRS/i.test(said) && task.options["crs"] !== undefined) {
    return new FilemillError("INVALID_OPTION", "There is no such coordinate system, or the map cannot be shown in it.", {
      details: { option: "crs", allowed: "an EPSG number" },
    });
  }
  return new FilemillError("CONVERSION_FAILED", `The map could not be written as ${task.hop.to.toUpperCase()}.`);
}

/** Every driver that this GDAL has, by its short name. */
async function driversOf(sandbox: Sandbox): Promise<readonly string[]> {
  const end = await sandbox.run({ program: "/usr/bin/ogrinfo", args: ["--formats"], limits: { addressSpace: false, wallMs: probeMs } });
  const names = [...end.stdout.matchAll(/^ {2}(\S.{0,80}?) -([a-z,]{1,80})- /gm)]
    .filter(([, , kinds = ""]) => kinds.split(",").includes("vector"))
    .map(([, name = ""]) => name);
  if (!names.includes("GPKG")) throw new FilemillError("UNAVAILABLE", "GDAL does not tell what it can read.");
  return names;
}

export const gdalEngine = defineEngine({
  id: "gdal",
  label: "GDAL",
  lane: "document",
  packages: ["gdal-bin"],
  hops: gdalHops,
  badInput,
  async probe(sandbox) {
    const line = await versionLineOf(sandbox, program, ["--version"]);
    return line === undefined ? undefined : /GDAL (\d[\d.]*)/.exec(line)?.[1];
  },
  async open({ sandbox }) {
    let drivers: Promise<readonly string[]> | undefined;
    return {
      async run(task) {
        drivers ??= driversOf(sandbox);
        drivers.catch(() => {
          drivers = undefined;
        });
        await run(sandbox, await drivers, task);
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
});
