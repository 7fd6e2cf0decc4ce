/** Tracks and places of devices by GPSBabel, all by way of GPX, which holds what any of them has. */
import { FilemillError } from "#kit/errors.ts";
import { defineEngine, type EngineHost, type Hop, type HopTask } from "../domain/engine.ts";
import { expecting } from "../domain/expectations.ts";
import { LacksContent } from "../domain/failure.ts";
import type { Inspector } from "../domain/inspector.ts";
import type { Expectation } from "../domain/notes.ts";
import { askMade } from "./ask-inspector.ts";
import { throwIfFailed } from "./bad-input.ts";
import { crossHops } from "./hop-table.ts";
import { inputInside, openToolSession, probeMs } from "./tool-run.ts";

const program = "/usr/bin/gpsbabel";

type Device = {
  /** GPSBabel's name of it. */
  readonly name: string;
  /** What it holds; GPX has both. */
  readonly holds: "tracks" | "places" | "both";
  readonly isWritten: boolean;
  /** Places without a time are not written. */
  readonly needsTimes?: boolean;
};

const devices: Readonly<Record<string, Device>> = {
  tcx: { name: "gtrnctr", holds: "both", isWritten: true },
  fit: { name: "garmin_fit", holds: "both", isWritten: true },
  igc: { name: "igc", holds: "tracks", isWritten: true, needsTimes: true },
  plt: { name: "ozi", holds: "tracks", isWritten: true },
  loc: { name: "geo", holds: "places", isWritten: true },
  lmx: { name: "lmx", holds: "places", isWritten: true },
  gpi: { name: "garmin_gpi", holds: "places", isWritten: true },
  ov2: { name: "tomtom", holds: "places", isWritten: true },
  // It writes every position as an invalid one.
  nmea: { name: "nmea", holds: "tracks", isWritten: false },
};

const written = Object.keys(devices).filter((id) => devices[id]?.isWritten === true);

/** The other way GPX holds all that there is. */
function expectationsOf(to: string): readonly Expectation[] {
  const holds = devices[to]?.holds;
  const of = "tracksAndPlaces";
  if (holds === "places")
    return [expecting("TRACKS_LEFT_OUT", { message: "Where there are places beside tracks, tracks are left out.", of })];
  if (holds === "tracks") return [expecting("ENTRIES_LEFT_OUT", { message: "Places beside a track are left out.", of })];
  return [];
}

const hopOf = (_from: string, to: string): Omit<Hop, "from" | "to"> => ({
  fidelity: to === "gpx" ? "high" : "reduced",
  cost: 60,
  async: false,
  maxInputMb: 30,
  options: [],
  expects: expectationsOf(to),
});

const hops: readonly Hop[] = [...crossHops(Object.keys(devices), ["gpx"], hopOf), ...crossHops(["gpx"], written, hopOf)];

const badInput = [
  /corrupt|Read error|parse error|malformed|bad input record|is not an? \w+ file|Unexpected end of file|No GPI file|Unsupported datum|failure reading file/,
];

async function run({ sandbox, inspector }: EngineHost, task: HopTask): Promise<void> {
  const { from, to } = task.hop;
  const device = devices[to === "gpx" ? from : to];
  if (device === undefined) throw new FilemillError("INTERNAL", "GPSBabel has no such pair.");
  await using session = await openToolSession(sandbox, task);
  const [reader, writer] = to === "gpx" ? [device.name, "gpx"] : ["gpx", device.name];
  const filters = to === "gpx" ? [] : await filtersFor(inspector, device, task);
  const name = `out.${to}`;
  const end = await session.run({
    program,
    args: ["-w", "-r", "-t", "-i", reader, "-f", inputInside, ...filters, "-o", writer, "-F", `/job/${name}`],
  });
  throwIfFailed(end, badInput, `The file is damaged, or is not ${from.toUpperCase()}.`);
  if (to === "gpx") {
    const found = await askMade(inspector, "tracks", [session.pathOf(name)], { signal: task.signal });
    if (!(found.hasPlaces || found.hasTracks || found.hasRoutes))
      throw new FilemillError("INVALID_INPUT", "The file holds no places and no track.");
  }
  await session.adopt(name);
}

/** A device that knows no tracks gets the track's points as places where there are no others, and the reverse. */
async function filtersFor(inspector: Inspector, { holds, needsTimes }: Device, task: HopTask): Promise<readonly string[]> {
  const found = await inspector.ask("tracks", [task.input.path], { signal: task.signal });
  const [hasPlaces, hasTracks] = [found.hasPlaces, found.hasTracks || found.hasRoutes];
  if (!hasPlaces && !hasTracks) throw new FilemillError("INVALID_INPUT", "The file holds no places and no track.");
  if (holds === "places" && hasTracks && hasPlaces) task.note("TRACKS_LEFT_OUT", "The format holds places alone: tracks were left out.");
  if (holds === "tracks" && hasTracks && hasPlaces)
    task.note("ENTRIES_LEFT_OUT", "The format holds a track alone: places beside it were left out.");
  if (holds === "places" && !hasPlaces) return ["-x", "transform,wpt=trk", "-x", "transform,wpt=rte"];
  if (needsTimes && !found.hasTimes) {
    throw new LacksContent("The format holds the time of each place, and the file tells none.");
  }
  return holds !== "places" && !found.hasTracks ? ["-x", `transform,trk=${hasTracks ? "rte" : "wpt"}`] : [];
}

export const gpsbabelEngine = defineEngine({
  id: "gpsbabel",
  label: "GPSBabel",
  lane: "document",
  packages: ["gpsbabel"],
  hops,
  badInput,
  async probe(sandbox) {
    const end = await sandbox.run({ program, args: ["-V"], limits: { wallMs: probeMs } }).catch(() => undefined);
    return /Version (\d[\d.]*)/.exec(end?.stdout ?? "")?.[1];
  },
  async open(host) {
    return { run: (task) => run(host, task), [Symbol.asyncDispose]: async () => undefined };
  },
});
