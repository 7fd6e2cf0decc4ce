import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gpsbabelEngine } from "#services/conversion/engines/maps/gpsbabel.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { placesOf } from "#test/contract/readers-geo.ts";

const places = [
  [47, 8, "10:00:00"],
  [47.5, 8.75, "10:10:00"],
  [48, 9.5, "10:20:00"],
] as const;
const gpx = (body: string) =>
  `<?xml version="1.0"?><gpx version="1.1" creator="mill" xmlns="http://www.topografix.com/GPX/1/1">${body}</gpx>`;
const track = `<trk><name>Walk</name><trkseg>${places.map(([lat, lon, time]) => `<trkpt lat="${lat}" lon="${lon}"><ele>400</ele><time>2026-03-01T${time}Z</time></trkpt>`).join("")}</trkseg></trk>`;
const waypoints = places.map(([lat, lon], index) => `<wpt lat="${lat}" lon="${lon}"><name>Quokka${index}</name></wpt>`).join("");
const nmea =
  "$GPRMC,100000.000,A,4700.000,N,00800.000,E,0.00,0.00,010326,,*0F\r\n$GPRMC,101000.000,A,4730.000,N,00845.000,E,0.00,0.00,010326,,*0C\r\n$GPRMC,102000.000,A,4800.000,N,00930.000,E,0.00,0.00,010326,,*01\r\n";

const bench = useBench(gpsbabelEngine);

/** Adds the mandatory checksum to each sentence. */
function checked(text: string): string {
  return text.replace(/\$([^*\n]+)\*\w\w/g, (_, body: string) => {
    const sum = [...body].reduce((value, character) => value ^ character.charCodeAt(0), 0);
    return `$${body}*${sum.toString(16).toUpperCase().padStart(2, "0")}`;
  });
}

async function sample(format: string, folder: string): Promise<string> {
  const path = join(folder, `sample.${format}`);
  if (format !== "gpx" && format !== "nmea") return (await bench.convert(await sample("gpx", folder), "gpx", format)).path;
  await writeFile(path, format === "gpx" ? gpx(waypoints + track) : checked(nmea));
  return path;
}

/** Latitude and longitude of each waypoint, parsed by the format's own specification. */
const readers: Readonly<Record<string, (bytes: Buffer) => number[][]>> = {
  tcx: (bytes) =>
    [...bytes.toString().matchAll(/<LatitudeDegrees>([^<]+)<\/LatitudeDegrees>\s*<LongitudeDegrees>([^<]+)</g)].map(([, ...pair]) =>
      pair.map(Number),
    ),
  plt: (bytes) => [...bytes.toString().matchAll(/^\s*(-?\d+\.\d+),\s*(-?\d+\.\d+),/gm)].map(([, ...pair]) => pair.map(Number)),
  loc: (bytes) => [...bytes.toString().matchAll(/<coord lat="([^"]+)" lon="([^"]+)"/g)].map(([, ...pair]) => pair.map(Number)),
  lmx: (bytes) =>
    [...bytes.toString().matchAll(/<lm:latitude>([^<]+)<\/lm:latitude>\s*<lm:longitude>([^<]+)</g)].map(([, ...pair]) => pair.map(Number)),
  // FAI IGC B records: time, degrees and thousandths of minutes, hemispheres.
  igc: (bytes) =>
    [...bytes.toString().matchAll(/^B\d{6}(\d\d)(\d{5})N(\d{3})(\d{5})E/gm)].map(([, a, b, c, d]) => [
      Number(a) + Number(b) / 60_000,
      Number(c) + Number(d) / 60_000,
    ]),
  // Type 2 records: length, longitude and latitude in hundred-thousandths of a degree.
  ov2(bytes) {
    const found: number[][] = [];
    for (let at = 0; at + 13 <= bytes.length; at += bytes[at] === 1 ? 21 : bytes.readUInt32LE(at + 1)) {
      if (bytes[at] === 2) found.push([bytes.readInt32LE(at + 9) / 1e5, bytes.readInt32LE(at + 5) / 1e5]);
    }
    return found;
  },
};

testEngine(gpsbabelEngine, {
  sample,
  async check({ to }, _reading, path) {
    if (to === "gpx") {
      expect((await placesOf(path, "gpx")).bounds).toEqual([
        expect.closeTo(8, 3),
        expect.closeTo(47, 3),
        expect.closeTo(9.5, 3),
        expect.closeTo(48, 3),
      ]);
      return;
    }
    const bytes = await readFile(path);
    // Bytes at fixed positions: FIT's signature, with coordinates as a 32-bit fraction of a circle; those in Garmin's POI have 24 or 32
    // bits.
    if (to === "fit") return expect(bytes.toString("latin1", 8, 12)).toBe(".FIT");
    if (to === "gpi") return expect(bytes.includes("Quokka0", 0, "latin1")).toBe(true);
    const found = readers[to]?.(bytes) ?? [];
    for (const [lat, lon] of places) {
      expect(
        found.some(([y = 0, x = 0]) => Math.abs(y - lat) < 1e-4 && Math.abs(x - lon) < 1e-4),
        `${lat} ${lon} in ${JSON.stringify(found)}`,
      ).toBe(true);
    }
  },
});

describe("engine gpsbabel, in detail", () => {
  it("converts positions that have times but no date, and says which date they get", async () => {
    const path = join(bench.folder, "dateless.nmea");
    const position = (time: string, minutes: string) =>
      `$GPGGA,${time}.000,5013.${minutes},N,01710.477,E,1,09,0.8,468.770,M,0.0,M,,*00\r\n`;
    await writeFile(path, checked(position("100000", "476") + position("100001", "479")));
    const made = await bench.convert(path, "nmea", "gpx");
    expect((await readFile(made.path, "utf8")).match(/<trkpt/g)).toHaveLength(2);
    expect(made.notes.get("METADATA_DROPPED")).toMatch("1 January 1970");
  });

  const convert = async (body: string, to: string) => {
    const path = join(bench.folder, "own.gpx");
    await writeFile(path, gpx(body));
    return await bench.convert(path, "gpx", to);
  };

  it("notes what a device cannot hold", async () => {
    expect((await convert(waypoints + track, "loc")).notes.has("TRACKS_LEFT_OUT")).toBe(true);
    expect((await convert(waypoints + track, "igc")).notes.has("ENTRIES_LEFT_OUT")).toBe(true);
    expect((await convert(track, "igc")).notes.has("ENTRIES_LEFT_OUT")).toBe(false);
  });

  it("converts track points to waypoints if there are no others, and waypoints to a track", async () => {
    expect(readers["loc"]?.(await readFile((await convert(track, "loc")).path))).toHaveLength(3);
    expect(readers["plt"]?.(await readFile((await convert(waypoints, "plt")).path))).toHaveLength(3);
    expect(readers["tcx"]?.(await readFile((await convert(waypoints, "tcx")).path)).length).toBeGreaterThanOrEqual(3);
  });

  it("refuses to write an empty IGC from a track without times", async () => {
    await expect(convert(track.replaceAll(/<time>.*?<\/time>/g, ""), "igc")).rejects.toMatchObject({
      message: expect.stringContaining("time"),
    });
  });

  it("refuses to write FIT if any point has no time", async () => {
    for (const times of [/<time>.*?<\/time>/g, /<time>2026-03-01T10:10.*?<\/time>/g]) {
      await expect(convert(track.replaceAll(times, ""), "fit")).rejects.toMatchObject({ message: expect.stringContaining("TCX") });
    }
  });

  const point = (lat: string, more: string) => `<trkpt lat="${lat}" lon="8">${more}</trkpt>`;
  const second = "<time>2026-03-01T10:00:01Z</time>";
  const rich =
    `<wpt lat="1" lon="2"><name>Place</name></wpt><trk><name>Walk</name><trkseg>` +
    point("47.123456789", "<ele>400.12</ele><time>2026-03-01T10:00:00.250Z</time><extensions><hr>120</hr></extensions>") +
    `</trkseg><trkseg>${point("48", second)}</trkseg></trk><trk><name>Other</name><trkseg>${point("49", second)}</trkseg></trk>`;

  it("notes what the result lacks", async () => {
    const { notes } = await convert(rich, "tcx");
    expect(notes.get("NUMBERS_ROUNDED")).toBe("Numbers were rounded: coordinates by up to 1.1e-8 degrees, heights by up to 0.02 m.");
    expect(notes.get("STRUCTURE_FLATTENED")).toBe("3 segments of tracks became 2.");
    expect(notes.get("ENTRIES_LEFT_OUT")).toBe("1 places besides the tracks were left out.");
    const ozi = (await convert(rich, "plt")).notes;
    expect(ozi.get("ENTRIES_LEFT_OUT")).toBe("2 of 3 points were written. 1 places besides the tracks were left out.");
    expect(ozi.get("METADATA_DROPPED")).toBe("Names of tracks were left out: Other.");
    const fit = (await convert(track, "fit")).notes;
    expect(fit.get("METADATA_DROPPED")).toBe("Names of tracks were left out: Walk.");
  });

  it("keeps the heart rate of points, and notes the loss of their speed and power", async () => {
    const path = join(bench.folder, "run.tcx");
    const sensors =
      "<HeartRateBpm><Value>121</Value></HeartRateBpm><Extensions><TPX><Speed>3.5</Speed><Watts>250</Watts></TPX></Extensions>";
    await writeFile(
      path,
      `<?xml version="1.0"?><TrainingCenterDatabase><Activities><Activity Sport="Running"><Lap><Track><Trackpoint><Time>2026-03-01T10:00:00Z</Time><Position><LatitudeDegrees>47</LatitudeDegrees><LongitudeDegrees>8</LongitudeDegrees></Position>${sensors}</Trackpoint><Trackpoint><Time>2026-03-01T10:00:01Z</Time>${sensors}</Trackpoint></Track></Lap></Activity></Activities></TrainingCenterDatabase>`,
    );
    const made = await bench.convert(path, "tcx", "gpx");
    expect(await readFile(made.path, "utf8")).toContain("<gpxtpx:hr>121</gpxtpx:hr>");
    expect(made.notes.get("METADATA_DROPPED")).toBe(
      "Left out of the points: speed, power. The sport, notes and lap summaries were left out.",
    );
    expect(made.notes.get("ENTRIES_LEFT_OUT")).toBe("1 of 2 points were left out, because they have no position.");
  });

  it("notes values of flights and receivers that GPX has no place for", async () => {
    const flight = join(bench.folder, "flight.igc");
    const position = "B1800002824579N08150240WA0004700050";
    await writeFile(
      flight,
      ["AXXX001", "HFDTE160219", "I023638FXA3941ENL", `${position}016039`, "LXXXcomment", "E180001PEV", ""].join("\r\n"),
    );
    expect((await bench.convert(flight, "igc", "gpx")).notes.get("METADATA_DROPPED")).toBe(
      "Left out of the points: FXA, ENL. Left out of the flight: events, comments.",
    );
    const sentences = join(bench.folder, "log.nmea");
    const lines = [
      "$GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76",
      "$GPRMC,092750.000,A,5321.6802,N,00630.3372,W,10.5,31.66,280511,,,A*45",
      "$GPGGA,092751.000,5321.6803,N,00630.3373,W,1,8,1.03,61.8,M,55.2,M,,*00",
    ];
    await writeFile(sentences, lines.join("\r\n"));
    const { notes } = await bench.convert(sentences, "nmea", "gpx");
    expect(notes.get("METADATA_DROPPED")).toBe("Left out of the points: speed, course.");
    expect(notes.get("ENTRIES_LEFT_OUT")).toBe("Sentences with a wrong checksum were left out.");
    await writeFile(sentences, `${lines[0]}\r\n`);
    expect((await bench.convert(sentences, "nmea", "gpx")).notes.get("METADATA_DROPPED")).toContain("1 January 1970");
  });

  it("does not invent heights of geocaches", async () => {
    const path = join(bench.folder, "caches.loc");
    const cache = '<waypoint><name id="GC1"><![CDATA[Oak]]></name><coord lat="47" lon="8"/></waypoint>';
    await writeFile(path, `<?xml version="1.0"?><loc version="1.0">${cache}</loc>`);
    const gpx = await readFile((await bench.convert(path, "loc", "gpx")).path, "utf8");
    expect([gpx.includes("Oak"), gpx.includes("<ele>")]).toEqual([true, false]);
  });

  it("refuses files without any position", async () => {
    await expect(convert("", "tcx")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});
