/** EXIF of a TIFF, as scanners and developed camera pictures have it, in formats that libvips would write without it. */
import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { sharpEngine } from "#services/conversion/engines/pictures/sharp.ts";
import { exifOfTiff } from "#services/conversion/engines/pictures/tiff-exif.mjs";
import { useBench } from "#test/contract/engine.ts";

const execute = promisify(execFile);
const typical = join(import.meta.dirname, "../../../../corpus/typical/image/typical.tiff");

const wanted = {
  "IFD0:Make": "Canon",
  "IFD0:Copyright": "CC0 (really, ASCII)",
  "ExifIFD:DateTimeOriginal": "2024:01:02 03:04:05",
  "ExifIFD:ExposureTime": "1/125",
  "ExifIFD:ISO": 400,
  "ExifIFD:ExposureCompensation": -0.33,
  "ExifIFD:LensModel": "EF 50mm",
  "GPS:GPSLatitude": "51 deg 30' 0.00\"",
  "GPS:GPSLongitudeRef": "West",
  "GPS:GPSAltitude": "12.5 m",
};
const place = ["-GPSLatitude=51.5", "-GPSLatitudeRef=N", "-GPSLongitude=0.5", "-GPSLongitudeRef=W", "-GPSAltitude=12.5"];
const camera = ["-Make=Canon", "-DateTimeOriginal=2024:01:02 03:04:05", "-ExposureTime=1/125", "-ISO=400", "-LensModel=EF 50mm"];

describe("EXIF of a TIFF", () => {
  const bench = useBench(sharpEngine);

  async function tagged(...tags: readonly string[]): Promise<string> {
    const path = join(bench.folder, "tagged.tiff");
    await copyFile(typical, path);
    await execute("exiftool", ["-q", "-overwrite_original", ...tags, path]);
    return path;
  }
  const fieldsOf = async (path: string): Promise<Record<string, unknown>> =>
    JSON.parse((await execute("exiftool", ["-j", "-G1", path])).stdout)[0];

  it("is carried over, fractions, signs, remarks in brackets and place included", async () => {
    const path = await tagged(...camera, ...place, "-ExposureCompensation=-0.33", "-Copyright=CC0 (really, ASCII)");
    for (const to of ["jpg", "png", "webp", "avif"])
      expect(await fieldsOf((await bench.convert(path, "tiff", to)).path)).toMatchObject(wanted);
  });

  it("is removed on request", async () => {
    const { path } = await bench.convert(await tagged(...camera, ...place), "tiff", "jpg", { metadata: "strip" });
    expect(Object.keys(await fieldsOf(path)).filter((name) => /Make|Lens|GPS/.test(name))).toEqual([]);
  });

  it("is left out where libexif would change a text, so that a note names it", async () => {
    const { path } = await bench.convert(await tagged("-Artist=Zoë", "-Make=Canon"), "tiff", "jpg");
    expect(await fieldsOf(path)).toMatchObject({ "IFD0:Make": "Canon" });
    expect(await fieldsOf(path)).not.toHaveProperty("IFD0:Artist");
  });
});

describe("exifOfTiff", () => {
  const entry = (tag: number, kind: number, count: number, value: number): Buffer => {
    const bytes = Buffer.alloc(12);
    bytes.writeUInt16LE(tag, 0);
    bytes.writeUInt16LE(kind, 2);
    bytes.writeUInt32LE(count, 4);
    bytes.writeUInt32LE(value, 8);
    return bytes;
  };
  const tiff = (...entries: readonly Buffer[]): Buffer =>
    Buffer.concat([Buffer.from("II*\0\x08\0\0\0", "latin1"), Buffer.from([entries.length, 0]), ...entries, Buffer.alloc(12)]);

  it("finds nothing in directories and values that lie outside of the file", () => {
    expect(exifOfTiff(Buffer.from("II*\0\xff\xff\xff\xff", "latin1"))).toEqual({});
    expect(exifOfTiff(tiff(entry(0x10f, 2, 60_000, 0xffff_0000)))).toEqual({});
    expect(exifOfTiff(tiff(entry(0x8769, 4, 1, 0xffff_0000)))).toEqual({});
    expect(exifOfTiff(tiff(entry(0x10f, 2, 0xffff_ffff, 8), entry(0x112, 99, 1, 1)))).toEqual({});
  });

  it("leaves out what programs write for unknown values", () => {
    // The Exif directory is the same one.
    expect(exifOfTiff(tiff(entry(0x10f, 2, 4, 0x2020_2020), entry(0x8769, 4, 1, 8), entry(0x8827, 3, 1, 0)))).toEqual({});
    expect(exifOfTiff(tiff(entry(0x8769, 4, 1, 8), entry(0x8827, 3, 1, 200)))).toEqual({ IFD2: { ISOSpeedRatings: "200" } });
  });
});
