import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { ACadVersion, CadDocument, DwgWriter, Line, Viewport } from "@node-projects/acad-ts";
import { beforeAll, describe, expect, it } from "vitest";
import { dwgEngine } from "#services/conversion/engines/pictures/dwg.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const convert = converting(dwgEngine);
const path = "test/corpus/typical/vector/typical.dwg";
let drawing: Buffer;
beforeAll(async () => {
  drawing = await readFile(path);
});

/** A drawing according to GDAL, which has its own readers for both formats: number of shapes, extent, and texts. */
async function seenOf(file: string) {
  const { stdout } = await promisify(execFile)("ogrinfo", ["-ro", "-al", file]);
  const numbers = [...stdout.matchAll(/^Extent: \((\S+), (\S+)\) - \((\S+), (\S+)\)$/gm)].map((found) => found.slice(1, 5).map(Number));
  const extent = [0, 1, 2, 3].map((side) => Math[side < 2 ? "min" : "max"](...numbers.map((each) => each[side] ?? 0)));
  return {
    extent: extent.map(Math.round),
    shapes: [...stdout.matchAll(/^ {2}(LINESTRING|POINT|POLYGON|CIRCULARSTRING|COMPOUNDCURVE|MULTI\w+|GEOMETRYCOLLECTION)/gm)].length,
    texts: ["Quokka", "zebracell 42"].filter((text) => stdout.includes(text)),
  };
}

describe("AutoCAD drawings", () => {
  it("become DXF with all shapes and texts in place", async () => {
    const { path: made, notes } = await convert(drawing, "dwg", "dxf");
    const [before, after] = await Promise.all([seenOf(path), seenOf(made)]);
    expect(after.extent).toEqual([0, 0, 200, 120]);
    expect(after.texts).toEqual(["Quokka", "zebracell 42"]);
    // GDAL reports the two lines of each block separately in DWG, and together in DXF.
    expect([before.shapes, after.shapes]).toEqual([11, 9]);
    expect(notes).toEqual([]);
  });

  it("keep their layers and blocks", async () => {
    const { text } = await convert(drawing, "dwg", "dxf");
    expect(text).toMatch(/^ *8\r?\nNotes$/m);
    expect(text.match(/^INSERT\r?$/gm)).toHaveLength(2);
  });

  it("with fields, which the library reads without their owner, keep their texts", async () => {
    const { text } = await convert(await readFile("test/corpus/odd/fields.dwg"), "dwg", "dxf");
    expect(text.match(/^MTEXT\r?$/gm)).toHaveLength(7);
    expect(text).toContain("The quick brown fox jumps over the lazy dog");
  });

  it("leave out viewport points without height or depth, which programs refuse", async () => {
    const sheet = new CadDocument();
    if (sheet.header === null) throw new Error("an empty drawing has a header");
    sheet.header.version = ACadVersion.AC1015;
    sheet.modelSpace?.entities.add(new Line());
    sheet.paperSpace?.entities.add(new Viewport());
    const { text } = await convert(Buffer.from(DwgWriter.writeToBuffer(sheet)), "dwg", "dxf");
    expect(text).toMatch(/^VIEWPORT\r?$/m);
    expect(text).not.toMatch(/^ *110\r?\n.*\n *111\r?$/m);
  });

  it("are refused with their version if older than R14, and as invalid if truncated", async () => {
    const old = Buffer.concat([Buffer.from("AC1009"), drawing.subarray(6)]);
    await expect(convert(old, "dwg", "dxf")).rejects.toMatchObject({ code: "CONVERSION_FAILED", message: expect.stringContaining("R13") });
    for (const length of [6, 100, 1000, 3000])
      await expect(convert(drawing.subarray(0, length), "dwg", "dxf")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});
