/** Converts tracks and waypoints of devices with GPSBabel, always through GPX, which holds everything that they do. */
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type Hop, type HopTask } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import { EngineFault, LacksContent } from "#services/conversion/domain/failure.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import type { Expectation } from "#services/conversion/domain/notes.ts";
import { askMade } from "../shared/ask-inspector.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { crossHops } from "../shared/hop-table.ts";
import { tellOwn } from "../shared/node-worker.ts";
import { inputInside, openToolSession, probeInOutput, type ToolSession } from "../shared/tool-run.ts";

const program = "/usr/bin/gpsbabel";

type Device = {
  /** GPSBabel's name for it. */
  readonly name: string;
  /** What it can hold; GPX holds both. */
  readonly holds: "tracks" | "places" | "both";
  readonly isWritten: boolean;
  /** Its points may have values that a GPX with Garmin's extensions lacks, such as speed and power. */
  readonly hasSensors?: boolean;
  /** GPSBabel adds a height of 0 to its points. */
  readonly isFlat?: boolean;
  /** Waypoints without a time are not written. */
  readonly needsTimes?: boolean;
  /** What its GPX may lack. */
  readonly lost?: Readonly<Partial<Record<"METADATA_DROPPED" | "ENTRIES_LEFT_OUT", string>>>;
};

const ofSports = {
  METADATA_DROPPED: "Speed, distance and power of track points, and lap summaries, are left out.",
  ENTRIES_LEFT_OUT: "Points without a position are left out.",
};

const devices: Readonly<Record<string, Device>> = {
  tcx: { name: "gtrnctr", holds: "both", isWritten: true, hasSensors: true, lost: ofSports },
  // GPSBabel writes the year 2126 for a missing time.
  fit: { name: "garmin_fit", holds: "both", isWritten: true, hasSensors: true, needsTimes: true, lost: ofSports },
  igc: {
    ...{ name: "igc", holds: "tracks", isWritten: true, hasSensors: true, needsTimes: true },
    lost: { METADATA_DROPPED: "Values of sensors, events and comments are left out." },
  },
  plt: { name: "ozi", holds: "tracks", isWritten: true },
  loc: { name: "geo", holds: "places", isWritten: true, isFlat: true },
  lmx: { name: "lmx", holds: "places", isWritten: true },
  gpi: {
    ...{ name: "garmin_gpi", holds: "places", isWritten: true },
    lost: { METADATA_DROPPED: "Of names in several languages, those in the first are kept." },
  },
  ov2: { name: "tomtom", holds: "places", isWritten: true },
  // GPSBabel marks every position as invalid.
  nmea: {
    ...{ name: "nmea", holds: "tracks", isWritten: false, hasSensors: true },
    lost: {
      METADATA_DROPPED: "Speed and course of track points are left out. Times without a date get 1 January 1970.",
      ENTRIES_LEFT_OUT: "Sentences with a wrong checksum are left out.",
    },
  },
};

const written = Object.keys(devices).filter((id) => devices[id]?.isWritten === true);

function expectationsOf(from: string, to: string): readonly Expectation[] {
  if (to === "gpx") {
    return (["METADATA_DROPPED", "ENTRIES_LEFT_OUT"] as const).flatMap((code) => {
      const message = devices[from]?.lost?.[code];
      return message === undefined ? [] : [expecting(code, message)];
    });
  }
  return [
    ...(devices[to]?.holds === "places"
      ? [
          expecting("TRACKS_LEFT_OUT", {
            message: "If the file has places as well as tracks, the tracks are left out.",
            of: "tracksAndPlaces",
          }),
        ]
      : []),
    expecting("ENTRIES_LEFT_OUT", "Places or routes besides a track, and points that the format does not support, are left out."),
    expecting("NUMBERS_ROUNDED", "Coordinates, heights and times are rounded to the format's precision."),
    expecting("METADATA_DROPPED", "Names, descriptions and sensor values that the format does not support are left out."),
    expecting("STRUCTURE_FLATTENED", "Track segments are joined if the format does not support them."),
  ];
}

/** What GPSBabel asks for, by what it says: an option of its reader, and the note about the answer. */
const questions = {
  nmea: {
    asks: /No date found/,
    option: () => "date=19700101",
    note: () => "The file gives times without a date; 1 January 1970 stands for it.",
  },
  gpi: {
    asks: /Must select language code, ([A-Z]{2})/,
    option: (language: string) => `languagecode=${language}`,
    note: (language: string) => `Names in other languages than ${language} were left out.`,
  },
};
const isAsked = (format: string): format is keyof typeof questions => format in questions;

const hopOf = (from: string, to: string): Omit<Hop, "from" | "to"> => ({
  fidelity: to === "gpx" ? "high" : "reduced",
  cost: 60,
  maxInputMb: 30,
  options: [],
  expects: expectationsOf(from, to),
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
  let reader = to === "gpx" ? device.name : "gpx";
  const writer = to === "gpx" ? fullGpx : device.name;
  const filters = to === "gpx" ? [] : await filtersFor(inspector, device, task);
  const name = `out.${to}`;
  const convert = () =>
    session.run({ program, args: ["-w", "-r", "-t", "-i", reader, "-f", inputInside, ...filters, "-o", writer, "-F", `/job/${name}`] });
  let end = await convert();
  const question = isAsked(from) ? questions[from] : undefined;
  const asked = question?.asks.exec(end.stderr);
  if (question !== undefined && asked) {
    const [, answer = ""] = asked;
    reader += `,${question.option(answer)}`;
    end = await convert();
    task.note("METADATA_DROPPED", question.note(answer));
  }
  throwIfFailed(end, badInput, `The file is damaged, or is not ${from.toUpperCase()}.`);
  if (to === "gpx") {
    const found = await askMade(inspector, "tracks", [session.pathOf(name)], { signal: task.signal });
    if (!(found.hasPlaces || found.hasTracks || found.hasRoutes))
      throw new FilemillError("INVALID_INPUT", "The file contains no waypoints or tracks.");
    if (/^Invalid NMEA checksum/m.test(end.stderr)) task.note("ENTRIES_LEFT_OUT", "Sentences with a wrong checksum were left out.");
    if (device.isFlat === true) await session.run({ program: "/bin/sed", args: ["-i", "/<ele>0\\.000<\\/ele>/d", `/job/${name}`] });
    if (device.hasSensors === true) await tellSensors(session, task, reader);
  } else await compareWithSource(session, task, device, name);
  await session.adopt(name);
}

/** Includes heart rate, cadence and temperature. */
const fullGpx = "gpx,garminextensions";

/** Compares the source with what the tool reads back from its result, as a device would; notes the differences. */
async function compareWithSource(session: ToolSession, task: HopTask, device: Device, name: string): Promise<void> {
  const again = "/job/again.gpx";
  const end = await session.run({ program, args: ["-w", "-r", "-t", "-i", device.name, "-f", `/job/${name}`, "-o", fullGpx, "-F", again] });
  if (end.exitCode !== 0) throw new EngineFault("unexplained", `exit code ${end.exitCode}`);
  await tellOwn(session, task.note, "map/main.ts", ["compare", inputInside, again]);
}

/** A table of the points, which holds what a GPX does not. */
async function tellSensors(session: ToolSession, task: HopTask, reader: string): Promise<void> {
  const table = "/job/points.csv";
  const end = await session.run({ program, args: ["-t", "-i", reader, "-f", inputInside, "-o", "unicsv", "-F", table] });
  if (end.exitCode !== 0) throw new EngineFault("unexplained", `exit code ${end.exitCode}`);
  await tellOwn(session, task.note, "map/main.ts", ["sensors", table, inputInside, task.hop.from]);
}

/** A device without tracks gets a track's points as waypoints if there are no others, and the reverse. */
async function filtersFor(inspector: Inspector, { holds, needsTimes }: Device, task: HopTask): Promise<readonly string[]> {
  const found = await inspector.ask("tracks", [task.input.path], { signal: task.signal });
  const [hasPlaces, hasTracks] = [found.hasPlaces, found.hasTracks || found.hasRoutes];
  if (!hasPlaces && !hasTracks) throw new FilemillError("INVALID_INPUT", "The file contains no waypoints or tracks.");
  if (holds === "places" && hasTracks && hasPlaces) task.note("TRACKS_LEFT_OUT", "The format holds only waypoints; tracks were left out.");
  if (holds === "places" && !hasPlaces) return ["-x", "transform,wpt=trk", "-x", "transform,wpt=rte"];
  if (needsTimes && !found.hasTimes) {
    throw new LacksContent("The format requires a time for each point, and some are missing; TCX and PLT do not need one.");
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
  probe: probeInOutput(program, ["-V"], /Version (\d[\d.]*)/),
  run,
});
