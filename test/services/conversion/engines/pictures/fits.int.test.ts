/** FITS with values that a picture cannot hold as they are. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { expect, it } from "vitest";
import { imagemagickEngine } from "#services/conversion/engines/pictures/imagemagick.ts";
import { useBench } from "#test/contract/engine.ts";

const bench = useBench(imagemagickEngine);

type Written = { readonly bits: number; readonly values: readonly number[]; readonly sides: readonly number[]; readonly more?: string };

/** @see FITS standard 4.0, section 3 */
function fitsOf({ bits, values, sides, more = "" }: Written): Buffer {
  const cards = [["SIMPLE", "T"], ["BITPIX", bits], ["NAXIS", sides.length], ...sides.map((side, index) => [`NAXIS${index + 1}`, side])];
  const head =
    cards.map(([name, value]) => `${String(name).padEnd(8)}= ${String(value).padStart(20)}`.padEnd(80)).join("") + more.padEnd(80);
  const data = Buffer.alloc(2880);
  for (const [index, value] of values.entries()) {
    const at = (index * Math.abs(bits)) / 8;
    if (bits === 16) data.writeInt16BE(value, at);
    if (bits === 64) data.writeBigInt64BE(BigInt(value), at);
    if (bits === -32) data.writeFloatBE(value, at);
  }
  return Buffer.concat([Buffer.from((head + "END".padEnd(80)).padEnd(2880)), data]);
}

async function seen(written: Written, options = {}) {
  const file = join(bench.folder, "a.fits");
  await writeFile(file, fitsOf(written));
  const { path, notes } = await bench.convert(file, "fits", "png", options);
  const data = await sharp(path).toColourspace("grey16").raw({ depth: "ushort" }).toBuffer();
  return { row: [...new Uint16Array(data.buffer, data.byteOffset, data.length / 2)], notes };
}

it("keeps values of sixteen bits as they are, the lowest row below", async () => {
  const { row, notes } = await seen({ bits: 16, values: [-32_768, 0, 1, 32_767], sides: [2, 2], more: "BZERO   =              32768.0" });
  expect(row).toEqual([32_769, 65_535, 0, 32_768]);
  expect(notes.size).toBe(0);
});

it.each([
  ["negative", { bits: 16, values: [-800, 0, 700], sides: [3, 1] }, [0, 34_952, 65_535], "-800) became black, the highest (700)"],
  ["of 64 bits", { bits: 64, values: [-5e12, 0, 5e12], sides: [3, 1] }, [0, 32_768, 65_535], "-5000000000000)"],
  ["that are missing", { bits: -32, values: [Number.NaN, 1, 2], sides: [3, 1] }, [0, 0, 65_535], "Pixels without a value became black: 1."],
] as const)("notes how values %s became shades", async (_, written, row, note) => {
  const found = await seen(written);
  expect(found.row).toEqual(row);
  expect(found.notes.get("MEDIA_CHANGED")).toContain(note);
});

it("converts the plane of a cube asked for", async () => {
  const cube: Written = { bits: 16, values: [1, 2, 3, 4, 5, 6], sides: [2, 1, 3] };
  expect(await seen(cube, { page: 3 })).toMatchObject({
    row: [5, 6],
    notes: new Map([["PAGES_LEFT_OUT", "Only page 3 of 3 was converted."]]),
  });
  await expect(seen(cube, { page: 4 })).rejects.toMatchObject({ code: "INVALID_OPTION" });
});

it("reads as many axes as the standard allows, whatever the file claims", async () => {
  const file = join(bench.folder, "axes.fits");
  const claimed = fitsOf({ bits: 16, values: [1, 2], sides: [2, 1] })
    .toString("latin1")
    .replace(`${"2".padStart(20)}`, "4000000000".padStart(20));
  await writeFile(file, claimed, "latin1");
  await expect(bench.convert(file, "fits", "png")).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
