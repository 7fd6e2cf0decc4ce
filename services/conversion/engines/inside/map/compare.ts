/** After a tool has written a track for a device: compares the source with what the same tool reads back from the result. */
import { readFileSync } from "node:fs";
import type { Notes } from "../exchange.ts";
import { inexpressible } from "../failure.ts";
import { type Gpx, type Point, type Position, readGpx, textOfXml } from "./gpx.ts";
import { addNote, named } from "./notes.ts";

type Spot = { readonly at: Position | undefined; readonly values: Readonly<Record<string, string>> };

/** Lap marks, which the tool reads as waypoints. */
const lap = /^LAP\d{3}$/;

const pointsOf = (gpx: Gpx): readonly Point[] => [...gpx.tracks, ...gpx.routes].flatMap(({ parts }) => parts.flat());
const placesOf = (gpx: Gpx): readonly Spot[] =>
  gpx.waypoints
    .filter(({ values }) => !lap.test(values["name"] ?? ""))
    .map(({ at, values, extensions }) => ({ at, values: { ...extensions, ...values } }));

/** Both are paths of GPX files. */
export function compare(source: string, again: string): unknown {
  const notes: Notes = new Map();
  const [before, after] = [source, again].map((path) => readGpx(textOfXml(readFileSync(path))));
  if (before !== undefined && after !== undefined) compareAll(before, after, notes);
  return { ok: true, notes: [...notes] };
}

function compareAll(before: Gpx, after: Gpx, notes: Notes): void {
  const withPoints = (all: Gpx["tracks"]) => all.filter(({ parts }) => parts.flat().length > 0);
  const [others, tracks] = [withPoints(before.tracks), withPoints(after.tracks)];
  const isOfTracks = others.length > 0 && tracks.length > 0;
  const [from, to] = isOfTracks ? [spotsOf(others), spotsOf(tracks)] : [pointsOr(before), pointsOr(after)];
  comparePoints(from, to, notes);
  if (isOfTracks) compareTracks(others, tracks, before.routes.length > 0 && after.routes.length === 0, notes);
  const places = [placesOf(before), placesOf(after)] as const;
  if (isOfTracks && places[0].length > 0 && places[1].length === 0) {
    addNote(notes, "ENTRIES_LEFT_OUT", `${places[0].length} places besides the tracks were left out.`);
  }
}

const spotsOf = (all: Gpx["tracks"]): readonly Spot[] => all.flatMap(({ parts }) => parts.flat());

/** Waypoints, or, without any, the points that become waypoints or were made from them. */
function pointsOr(gpx: Gpx): readonly Spot[] {
  const places = placesOf(gpx);
  return places.length > 0 ? places : pointsOf(gpx);
}

function compareTracks(before: Gpx["tracks"], after: Gpx["tracks"], losesRoutes: boolean, notes: Notes): void {
  const segments = (all: Gpx["tracks"]) => all.reduce((sum, { parts }) => sum + parts.filter((points) => points.length > 0).length, 0);
  if (segments(after) < segments(before) && spotsOf(after).length === spotsOf(before).length) {
    addNote(notes, "STRUCTURE_FLATTENED", `${segments(before)} segments of tracks became ${segments(after)}.`);
  }
  if (losesRoutes) addNote(notes, "ENTRIES_LEFT_OUT", "Routes besides the tracks were left out.");
  const kept = new Set(after.map(({ values }) => values["name"]));
  const names = before.flatMap(({ values }) => (values["name"] === undefined || kept.has(values["name"]) ? [] : [values["name"]]));
  if (names.length > 0) addNote(notes, "METADATA_DROPPED", `Names of tracks were left out: ${named(names)}.`);
}

function comparePoints(before: readonly Spot[], after: readonly Spot[], notes: Notes): void {
  if (after.length !== before.length) {
    addNote(notes, "ENTRIES_LEFT_OUT", `${after.length} of ${before.length} points were written.`);
    return;
  }
  const pairs = before.map((spot, index) => [spot, after[index] ?? spot] as const);
  const rounded = [
    off(
      "coordinates",
      "degrees",
      5e-10,
      pairs.flatMap(([a, b]) => [difference(a.at?.lat, b.at?.lat), difference(a.at?.lon, b.at?.lon)]),
    ),
    off(
      "heights",
      "m",
      5e-4,
      pairs.map(([a, b]) => difference(a.values["ele"], b.values["ele"])),
    ),
    off(
      "times",
      "s",
      0,
      pairs.map(([a, b]) => secondsBetween(a.values["time"], b.values["time"])),
    ),
  ].flatMap((text) => text ?? []);
  if (rounded.length > 0) addNote(notes, "NUMBERS_ROUNDED", `Numbers were rounded: ${rounded.join(", ")}.`);
  const keys = [...new Set(before.flatMap(({ values }) => Object.keys(values)))];
  const isText = (key: string) => key === "name" || key === "desc" || key === "cmt";
  const lost = keys.filter((key) =>
    pairs.some(([a, b]) => a.values[key] !== undefined && (isText(key) ? a.values[key] !== b.values[key] : b.values[key] === undefined)),
  );
  if (lost.length > 0) addNote(notes, "METADATA_DROPPED", `Not all point values of these kinds were kept: ${named(lost)}.`);
  if (pairs.some(([a, b]) => a.values["time"] === undefined && b.values["time"] !== undefined)) {
    throw inexpressible("The format requires a time for each point, and some are missing.");
  }
}

function off(what: string, unit: string, least: number, differences: readonly number[]): string | undefined {
  const most = differences.reduce((largest, each) => Math.max(largest, each), 0);
  return most > least ? `${what} by up to ${Number(most.toPrecision(2))} ${unit}` : undefined;
}

/** 0 if either is missing. */
function difference(before: string | undefined, after: string | undefined): number {
  const found = Math.abs(Number(before) - Number(after));
  return before === undefined || after === undefined || Number.isNaN(found) ? 0 : found;
}

function secondsBetween(before: string | undefined, after: string | undefined): number {
  const found = Math.abs(Date.parse(before ?? "") - Date.parse(after ?? "")) / 1000;
  return Number.isNaN(found) ? 0 : found;
}

/** Notes what is lost: columns of the tool's table of points that its GPX lacks, and parts of the source that the tool does not read. */
export function tellSensors(table: string, source: string, format: string): unknown {
  const notes: Notes = new Map();
  const columns = new Set(
    readFileSync(table, "utf8")
      .split("\n")
      .flatMap((line) => (line.startsWith("No,") ? line.trim().split(",") : [])),
  );
  const lost = ["Speed", "Course", "Power", "Distance"].filter((name) => columns.has(name));
  if (lost.length > 0) addNote(notes, "METADATA_DROPPED", `Left out of the points: ${lost.join(", ").toLowerCase()}.`);
  if (format === "tcx") inspectTcx(textOfXml(readFileSync(source)), notes);
  if (format === "igc") inspectIgc(readFileSync(source, "latin1"), notes);
  return { ok: true, notes: [...notes] };
}

/** Points without a position, such as those in a tunnel, may still have a heart rate. */
function inspectTcx(text: string, notes: Notes): void {
  const points = text.split(/<Trackpoint[\s>]/).slice(1);
  const bare = points.filter((point) => !/<Position[\s>]/.test(point)).length;
  if (bare > 0) addNote(notes, "ENTRIES_LEFT_OUT", `${bare} of ${points.length} points were left out, because they have no position.`);
  if (/<(Lap|Notes)[\s>]/.test(text)) addNote(notes, "METADATA_DROPPED", "The sport, notes and lap summaries were left out.");
}

const recordsOfFlights = { E: "events", K: "values between points", L: "comments" } as const;

/** FAI technical specification for IGC flight recorders, appendix A: record I lists the values that follow each position. */
function inspectIgc(text: string, notes: Notes): void {
  const lines = text.split(/\r?\n/);
  const values = lines.filter((line) => line.startsWith("I")).flatMap((line) => line.slice(3).match(/\d{4}[A-Z]{3}/g) ?? []);
  if (values.length > 0) addNote(notes, "METADATA_DROPPED", `Left out of the points: ${named(values.map((value) => value.slice(4)))}.`);
  const others = Object.entries(recordsOfFlights).flatMap(([letter, what]) =>
    lines.some((line) => line.startsWith(letter)) ? [what] : [],
  );
  if (others.length > 0) addNote(notes, "METADATA_DROPPED", `Left out of the flight: ${others.join(", ")}.`);
}
