import { expect, it } from "vitest";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { pictureMetadataOf } from "#services/conversion/inspectors/inside/picture-metadata.ts";

/** Also records the reads beyond the head, each of which the host must serve. */
function sourceOf(bytes: Buffer): ByteSource & { readonly asked: readonly number[] } {
  const asked: number[] = [];
  const read = async (offset: number, length: number) => {
    asked.push(length);
    return bytes.subarray(offset, offset + Math.min(length, 262_144));
  };
  return { sizeBytes: bytes.length, head: bytes.subarray(0, 65_536), read, asked };
}

function chunk(type: string, data: Buffer): Buffer {
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type, "latin1"), data, check]);
}

const comment = (text: string): Buffer => chunk("tEXt", Buffer.from(`Comment\0${text}`, "latin1"));

function pngOf(...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", Buffer.alloc(13)),
    ...chunks,
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

async function toldOf(png: Buffer) {
  const source = sourceOf(png);
  const { source: told } = await pictureMetadataOf(source, sourceOf(Buffer.alloc(0)), { from: "png", to: "none" });
  return { told, asked: source.asked.length };
}

const pieces = (count: number, bytes: number): readonly Buffer[] =>
  Array.from({ length: count }, () => chunk("IDAT", Buffer.alloc(bytes, 7)));

it("reads metadata behind many image chunks without requesting the image data", async () => {
  const { told, asked } = await toldOf(pngOf(...pieces(500, 8192), comment("a wombat")));
  expect(told).toEqual(["comments"]);
  expect(asked).toBeLessThan(10);
});

it("finds metadata behind a long last chunk and image data that looks like a chunk", async () => {
  expect((await toldOf(pngOf(...pieces(40, 200_000), comment("a quokka")))).told).toEqual(["comments"]);
  const alike = Buffer.concat([Buffer.alloc(9000, 7), chunk("IDAT", Buffer.alloc(50)), Buffer.alloc(100, 7)]);
  expect((await toldOf(pngOf(...pieces(30, 8192), chunk("IDAT", alike), comment("a numbat")))).told).toEqual(["comments"]);
});

it("reads only the metadata before the cut of a truncated picture", async () => {
  const whole = pngOf(comment("a bilby"), ...pieces(30, 8192), comment("a wombat"));
  expect((await toldOf(whole.subarray(0, 150_000))).told).toEqual(["comments"]);
  expect((await toldOf(pngOf(...pieces(30, 8192)).subarray(0, 150_000))).told).toEqual([]);
});

it("does not count XMP that became empty", async () => {
  expect((await toldOf(pngOf(chunk("tEXt", Buffer.from("XML:com.adobe.xmp\0"))))).told).toEqual([]);
});

type Field = readonly [tag: number, content: Buffer];

/** A TIFF with this many bytes of pixels, followed by the directory, as libtiff writes it. */
function tiffOf(pictureBytes: number, fields: readonly Field[], exif: readonly Field[] = []): Buffer {
  const head = Buffer.from("II*\0\0\0\0\0", "latin1");
  head.writeUInt32LE(8 + pictureBytes, 4);
  const directory = (start: number, rows: readonly Field[]): Buffer => {
    const table = Buffer.alloc(2 + rows.length * 12 + 4);
    table.writeUInt16LE(rows.length);
    const contents: Buffer[] = [];
    let at = start + table.length;
    for (const [index, [tag, content]] of rows.entries()) {
      const row = table.subarray(2 + index * 12);
      row.writeUInt16LE(tag);
      row.writeUInt16LE(content.length === 4 ? 4 : 2, 2);
      row.writeUInt32LE(content.length === 4 ? 1 : content.length, 4);
      if (content.length === 4) content.copy(row, 8);
      else row.writeUInt32LE(at, 8);
      if (content.length === 4) continue;
      contents.push(content);
      at += content.length;
    }
    return Buffer.concat([table, ...contents]);
  };
  const start = 8 + pictureBytes;
  const pointer = Buffer.alloc(4);
  const rows = (): readonly Field[] => (exif.length === 0 ? fields : [...fields, [0x8769, pointer]]);
  pointer.writeUInt32LE(start + directory(start, rows()).length);
  const top = directory(start, rows());
  return Buffer.concat([head, Buffer.alloc(pictureBytes, 7), top, ...(exif.length === 0 ? [] : [directory(start + top.length, exif)])]);
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`, "latin1");

async function lostBetween(source: Buffer, result: Buffer) {
  const [from, to] = [sourceOf(source), sourceOf(result)];
  return { told: await pictureMetadataOf(from, to, { from: "tiff", to: "tiff" }), asked: from.asked };
}

it("reads only the directories of a large TIFF, not its pixels", async () => {
  const camera: Field = [0x110, text("Camera of a quokka")];
  const { told, asked } = await lostBetween(tiffOf(90 * 2 ** 20, [camera], [[0x9003, text("2021:03:04 05:06:07")]]), tiffOf(100, []));
  expect(told).toEqual({ source: ["camera", "taken"], result: [] });
  expect(asked.reduce((sum, each) => sum + each, 0)).toBeLessThan(200_000);
});

it("detects that a TIFF keeps the camera but loses the exposure", async () => {
  const camera: Field = [0x110, text("Camera of a quokka")];
  const exposure: readonly Field[] = [
    [0x829a, text("1/125 s")],
    [0x9202, text("f/2.8  ")],
  ];
  const { told } = await lostBetween(tiffOf(100, [camera], exposure), tiffOf(100, [camera], exposure.slice(0, 1)));
  expect(told).toEqual({ source: ["camera", "exposure"], result: ["camera"] });
});

it("reads EXIF descriptions and user comments, except empty ones", async () => {
  const fields: readonly Field[] = [[0x10e, text("A wombat")]];
  expect((await lostBetween(tiffOf(9, fields), tiffOf(9, []))).told.source).toEqual(["words"]);
  const empty: readonly Field[] = [[0x9286, Buffer.from("ASCII\0\0\0      \0", "latin1")]];
  expect((await lostBetween(tiffOf(9, [], empty), tiffOf(9, []))).told.source).toEqual([]);
});

it("does not treat the ink names of a TIFF as metadata", async () => {
  const inks: Field = [0x14d, text("Cyan Magenta")];
  expect((await lostBetween(tiffOf(9, [inks, [0x14c, Buffer.from([1, 0, 0, 0])]]), tiffOf(9, []))).told.source).toEqual([]);
});

it("names the position of a map", async () => {
  const keys: Field = [0x87af, Buffer.from([1, 0, 1, 0, 0, 0, 1, 0])];
  expect((await lostBetween(tiffOf(9, [keys]), tiffOf(9, []))).told.source).toEqual(["map"]);
});

it.each([
  ["at the same place", 0, 300, true],
  ["at another place, with positions of its own", 4, 300, true, "FUJIFILM"],
  ["at another place", 4, 300, false],
  ["rewritten and shorter", 0, 200, true],
  ["rewritten without its larger parts", 0, 100, false],
])("sees whether the maker's notes are usable %s", async (_, moved, bytes, isKept, maker = "wombat") => {
  const note = (length: number): Field => [0x927c, Buffer.concat([Buffer.from(maker), Buffer.alloc(length - maker.length, 1)])];
  const { told } = await lostBetween(tiffOf(9, [], [note(300)]), tiffOf(9 + moved, [], [note(bytes)]));
  expect(told).toEqual({ source: ["maker"], result: isKept ? ["maker"] : [] });
});

it("reads the fields of a BigTIFF", async () => {
  const big = Buffer.alloc(64);
  big.write("MM\0+\0\x08\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\x01\x01\x0e\0\x02\0\0\0\0\0\0\0\x08A wombat", "latin1");
  expect((await lostBetween(big, tiffOf(9, []))).told.source).toEqual(["words"]);
});
