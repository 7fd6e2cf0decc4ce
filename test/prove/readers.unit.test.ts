/** The measures must detect damage: a check that cannot fail proves nothing. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GeoPart, partOf, placesOf } from "#test/contract/readers-geo.ts";
import { modelOf } from "#test/contract/readers-model.ts";
import { fontOf } from "./readers/fonts.ts";
import { colourDifferenceOf, inkOf, ssimOf } from "./readers/likeness.ts";
import type { Sound } from "./readers/media.ts";
import { signalToNoise } from "./readers/noise.ts";
import { cellRecallOf } from "./readers/tables.ts";
import { recallOf } from "./readers/words.ts";

const [width, height] = [64, 48];
const picture = Buffer.from(Array.from({ length: width * height * 3 }, (_, at) => (at * 7 + Math.floor(at / 500) * 40) % 256));

describe("the similarity of pictures", () => {
  it("is perfect for equal ones", () => {
    expect(ssimOf(picture, picture, width, height)).toBeCloseTo(1);
    expect(colourDifferenceOf(picture, picture)).toBe(0);
  });

  it("drops for a shifted, an inverted and a blank one", () => {
    const inverted = Buffer.from(picture.map((value) => 255 - value));
    const shifted = Buffer.concat([picture.subarray(31 * 3), picture.subarray(0, 31 * 3)]);
    for (const other of [inverted, shifted, Buffer.alloc(picture.length, 128)]) {
      expect(ssimOf(picture, other, width, height)).toBeLessThan(0.5);
    }
    expect(colourDifferenceOf(picture, inverted)).toBeGreaterThan(20);
  });

  it("detects swapped red and blue of equal brightness", () => {
    const [red, blue] = [Buffer.alloc(300), Buffer.alloc(300)];
    for (let at = 0; at < 300; at += 3) {
      red[at] = 200;
      blue[at + 2] = 200;
    }
    expect(colourDifferenceOf(red, blue)).toBeGreaterThan(60);
  });

  it("distinguishes a blank page from one with a line", () => {
    const page = Buffer.alloc(width * height * 3, 255);
    expect(inkOf(page)).toBe(0);
    page.fill(0, 0, width * 3);
    expect(inkOf(page)).toBeCloseTo(1 / height);
  });
});

describe("the signal-to-noise ratio", () => {
  const tone = (pitch: number, rate = 16_000, delay = 0): Sound => ({
    reader: "test",
    rate,
    channels: 1,
    samples: Int16Array.from(
      { length: rate },
      (_, at) => 12_000 * Math.sin((2 * Math.PI * pitch * (at - delay)) / rate) * Math.min(1, at / (rate / 4)),
    ),
  });

  it("is 99 for equal samples, and high for the same tone at another rate", () => {
    expect(signalToNoise(tone(440), tone(440))).toBe(99);
    expect(signalToNoise(tone(440), tone(440, 24_000))).toBeGreaterThan(25);
  });

  it("is near zero for another tone and for silence", () => {
    expect(signalToNoise(tone(440), tone(523))).toBeLessThan(2);
    expect(signalToNoise(tone(440), { ...tone(440), samples: new Int16Array(16_000) })).toBe(0);
  });
});

describe("recall", () => {
  it("finds words despite line breaks and counts missing ones", () => {
    expect(recallOf(["Quokka", "Ünïcødé", "zebra"], "quo\nkka  U\u0308ni\u0308cøde\u0301")).toBeCloseTo(2 / 3);
    expect(() => recallOf([], "anything")).toThrow("nothing is known");
  });

  it("compares numbers by value and text by letters", () => {
    expect(cellRecallOf(["7.5", "Quokka", "49.5", "x"], ["7.50", "quokka", "4.95"])).toBe(0.5);
  });
});

describe("map and model readers", () => {
  const inFolder = async <T>(name: string, text: string, read: (path: string) => Promise<T>): Promise<T> => {
    const folder = await mkdtemp(join(tmpdir(), "filemill-readers-"));
    try {
      await writeFile(join(folder, name), text);
      return await read(join(folder, name));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  // A KMZ with heights appeared to be 47 degrees off as GML.
  it("do not mistake a height for a latitude", async () => {
    const line =
      '<ogr:geometryProperty><gml:LineString><gml:posList srsDimension="3">47 8 0 48 9.5 0</gml:posList></gml:LineString></ogr:geometryProperty>';
    const shape = "<feature><gml:coordinates>8,47,0 9.5,48,0</gml:coordinates></feature>";
    const bounds = [8, 47, 9.5, 48];
    expect(await inFolder("a.gml", line, (path) => placesOf(path, "gml"))).toEqual({ shapes: 1, bounds });
    expect(await inFolder("a.jml", shape, (path) => placesOf(path, "jml"))).toEqual({ shapes: 1, bounds });
  });

  it("distinguish places from tracks, and fall back to the points of tracks", async () => {
    const track = '<trk><trkseg><trkpt lat="47" lon="8"/><trkpt lat="48" lon="9"/></trkseg></trk>';
    const both = `<gpx><wpt lat="50" lon="1"></wpt>${track}</gpx>`;
    const part = (text: string, name: GeoPart) => inFolder("a.gpx", text, (path) => partOf(path, "gpx", name));
    expect(await part(both, "places")).toEqual({ shapes: 1, bounds: [1, 50, 1, 50] });
    expect(await part(both, "tracks")).toEqual({ shapes: 1, bounds: [8, 47, 9, 48] });
    expect(await part(`<gpx>${track}</gpx>`, "places")).toEqual({ shapes: 2, bounds: [8, 47, 9, 48] });
  });

  it("place shapes as the scene's nodes say, as often as they do", async () => {
    const corners = Buffer.alloc(36);
    for (const [index, value] of [0, 0, 0, 1, 0, 0, 0, 1, 0].entries()) corners.writeFloatLE(value, index * 4);
    const scene = {
      asset: { version: "2.0" },
      buffers: [{ byteLength: 36, uri: `data:;base64,${corners.toString("base64")}` }],
      bufferViews: [{}],
      accessors: [{ bufferView: 0, count: 3 }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      scenes: [{ nodes: [0, 2] }],
      nodes: [
        { scale: [5, 5, 5], children: [1] },
        { mesh: 0 },
        { mesh: 0, translation: [0, 0, 7], rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2] },
      ],
    };
    const model = await inFolder("a.gltf", JSON.stringify(scene), (path) => modelOf(path, "gltf"));
    expect(model.triangles).toBe(2);
    expect(model.size.map((edge) => Math.round(edge * 1000) / 1000)).toEqual([5, 6, 7]);
    expect(model.unplaced).toEqual({ triangles: 1, size: [0, 1, 1] });
  });
});

describe("font readers", () => {
  const fontIn = async (format: string, text: string): Promise<number> => {
    const folder = await mkdtemp(join(tmpdir(), "filemill-readers-"));
    try {
      await writeFile(join(folder, "font"), text);
      return (await fontOf({ path: join(folder, "font"), format, kind: "font" })).characters;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  it("count only characters that are drawn", async () => {
    const glyph = (code: number, body: string) => `StartChar: x\nEncoding: 1 ${code} 1\n${body}EndChar\n`;
    const drawn = "SplineSet\n0 0 m 1\nEndSplineSet\n";
    expect(await fontIn("sfd", `FamilyName: Q\n${glyph(65, drawn)}${glyph(66, "")}${glyph(-1, drawn)}${glyph(32, "")}`)).toBe(2);
    const svg = '<glyph unicode="A" d="M0 0"/><glyph unicode="B"/><glyph unicode="&#x43;" d="M0 0"/><glyph unicode="ffi" d="M0 0"/>';
    expect(await fontIn("svgfont", `<font-face font-family="Q"/>${svg}`)).toBe(2);
  });
});
