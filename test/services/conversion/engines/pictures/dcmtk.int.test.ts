import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { beforeAll, expect, it } from "vitest";
import { dcmtkEngine } from "#services/conversion/engines/pictures/dcmtk.ts";
import { useBench } from "#test/contract/engine.ts";
import { dicomOf } from "./dicom-samples.ts";

const run = promisify(execFile);
const bench = useBench(dcmtkEngine);
let file: string;
beforeAll(async () => {
  file = join(bench.folder, "a.dcm");
});

/** Its first row as values from 0 to 65535, its size, and its notes. */
async function seen(bytes: Buffer | undefined, options = {}) {
  if (bytes !== undefined) await writeFile(file, bytes);
  const { path, notes } = await bench.convert(file, "dcm", "png", options);
  const { data, info } = await sharp(path).toColourspace("grey16").raw({ depth: "ushort" }).toBuffer({ resolveWithObject: true });
  const row = [...new Uint16Array(data.buffer, data.byteOffset, info.width)];
  return { row, size: [info.width, info.height], changed: notes.get("MEDIA_CHANGED"), notes };
}

const line = { columns: 4, rows: 1 };

it("shows values with the file's window, after its intercept", async () => {
  const picture = { ...line, values: [0, 1000, 1025, 2000], window: ["0.5", "101"] as const, intercept: "-1000" };
  const { row, changed, notes } = await seen(dicomOf(picture));
  expect(row.map((value) => Math.round(value / 655.35))).toEqual([0, 50, 75, 100]);
  expect(changed).toBe("Shown with the file's window of values: centre 0.5, width 101.");
  expect([...notes.keys()]).toEqual(["MEDIA_CHANGED", "METADATA_DROPPED"]);
  const inverted = await seen(dicomOf({ ...picture, photometric: "MONOCHROME1" }));
  expect(inverted.row.map((value) => Math.round(value / 655.35))).toEqual([100, 50, 25, 0]);
});

it("shows values without a window from the lowest to the highest", async () => {
  const { row, changed } = await seen(dicomOf({ ...line, values: [-100, 0, 100, 300] }));
  expect(row.map((value) => Math.round(value / 655.35))).toEqual([0, 25, 50, 100]);
  expect(changed).toMatch(/lowest \(-100\) became black, its highest \(300\) white/);
});

it("converts the frame asked for, no larger than asked for", async () => {
  const values = Array.from({ length: 2 * 16 * 8 }, (_, index) => (index < 128 ? 0 : index));
  const { size, row } = await seen(dicomOf({ columns: 16, rows: 8, values, window: ["128", "256"] }), { page: 2, width: 8 });
  expect(size).toEqual([8, 4]);
  expect(row[0]).toBeGreaterThan(30_000);
  await expect(seen(undefined, { page: 3 })).rejects.toMatchObject({ code: "INVALID_OPTION" });
});

it.each(["--j2k", "--jpegls", "--jpeg", "--rle"])("reads compressed values (gdcmconv %s)", async (kind) => {
  const values = Array.from({ length: 64 * 64 }, (_, index) => (index % 64) * 100);
  const whole = await seen(dicomOf({ columns: 64, rows: 64, values, window: ["3150", "6301"] }));
  await run("gdcmconv", [kind, file, `${file}.packed`]);
  await run("mv", [`${file}.packed`, file]);
  const { row, changed } = await seen(undefined);
  expect({ row, changed }).toEqual({ row: whole.row, changed: whole.changed });
});

it("refuses files without a picture or with an incomplete one", async () => {
  const whole = dicomOf({ columns: 16, rows: 16, values: Array.from({ length: 256 }, (_, index) => index) });
  for (const bytes of [whole.subarray(0, -200), whole.subarray(0, 300), Buffer.from("quokka")])
    await expect(seen(bytes)).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

it("reads values of 32 bits, and refuses them in big-endian order, which DCMTK misreads", async () => {
  const { row, changed } = await seen(dicomOf({ ...line, values: [0, 500_000, 750_000, 1_000_000], bits: 32 }));
  expect(row.map((value) => Math.round(value / 655.35))).toEqual([0, 50, 75, 100]);
  expect(changed).toMatch(/lowest \(0\) became black, its highest \(1000000\) white/);
  await run("dcmconv", ["+tb", file, file]);
  await expect(seen(undefined)).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
});
