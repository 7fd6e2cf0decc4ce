/** Which resolution and text a picture keeps. Read by Pillow. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { sharpEngine } from "#services/conversion/engines/pictures/sharp.ts";
import { useBench } from "#test/contract/engine.ts";
import { noise } from "./picture-samples.ts";

const bench = useBench(sharpEngine);
const run = promisify(execFile);

const densityOf = async (path: string): Promise<number> => {
  const code = "import sys; from PIL import Image; print(round(float(Image.open(sys.argv[1]).info.get('dpi', (0, 0))[0])))";
  return Number((await run("/usr/bin/python3", ["-c", code, path])).stdout);
};

describe("pixels per inch", () => {
  it("are kept in JPEG, PNG and TIFF", async () => {
    const printed = await bench.given(await noise(60, 40).withMetadata({ density: 300 }).png().toBuffer(), "png");
    for (const to of ["jpg", "tiff"]) expect(await densityOf((await bench.convert(printed, "png", to)).path), to).toBe(300);
    const page = await bench.given(await noise(60, 40).withMetadata({ density: 300 }).jpeg().toBuffer(), "jpg");
    for (const to of ["png", "tiff"]) expect(await densityOf((await bench.convert(page, "jpg", to)).path), to).toBe(300);
  });

  it("are exact where a centimetre has a whole number of them", async () => {
    const path = join(bench.folder, "centimetres.png");
    const code = `
import sys
from PIL import Image
Image.new("RGB", (9, 9)).save(sys.argv[1] + ".jpg", dpi=(1, 1))
whole = bytearray(open(sys.argv[1] + ".jpg", "rb").read())
whole[13:18] = b"\\x02\\x00\\x5e\\x00\\x5e"
open(sys.argv[1] + ".jpg", "wb").write(whole)
Image.new("RGB", (9, 9)).save(sys.argv[1] + ".tiff", resolution_unit="cm", resolution=94.0)`;
    await run("/usr/bin/python3", ["-c", code, path]);
    for (const from of ["jpg", "tiff"]) {
      const written = await readFile((await bench.convert(`${path}.${from}`, from, "png")).path);
      expect(written.readUInt32BE(written.indexOf("pHYs") + 4), from).toBe(9400);
    }
  });

  it("are kept from WebP and AVIF, where only EXIF states them", async () => {
    const printed = noise(60, 40).withMetadata({ density: 150 });
    for (const [from, bytes] of [["webp", await printed.webp().toBuffer()] as const, ["avif", await printed.avif().toBuffer()] as const]) {
      const source = await bench.given(bytes, from);
      for (const to of ["png", "jpg", "tiff"]) expect(await densityOf((await bench.convert(source, from, to)).path), from + to).toBe(150);
    }
  });

  it("are not stated where the source does not state them, also not in EXIF or in a large file", async () => {
    const small = { WEBP: await noise(60, 40).webp().toBuffer(), JPEG: await noise(60, 40).jpeg().toBuffer() };
    const large = sharp({ create: { width: 4000, height: 2500, channels: 3, background: "red" } });
    const sources = [
      ["webp", small.WEBP],
      ["jpg", small.JPEG],
      ["jpg", await large.jpeg().toBuffer()],
    ] as const;
    for (const [from, bytes] of sources) {
      const source = await bench.given(bytes, from);
      for (const to of ["png", "jpg", "webp"].filter((each) => each !== from)) {
        const { path } = await bench.convert(source, from, to);
        expect(await densityOf(path), `${from} ${to}`).toBe(0);
        expect((await sharp(path).metadata()).exif, `${from} ${to}`).toBeUndefined();
      }
    }
  });

  it("are kept if they are 72, and said to be square if only EXIF states unequal ones", async () => {
    const told = await bench.given(await noise(60, 40).withMetadata({ density: 72 }).jpeg().toBuffer(), "jpg");
    expect(await densityOf((await bench.convert(told, "jpg", "png")).path)).toBe(72);
    const path = await bench.given(await noise(60, 40).jpeg().toBuffer(), "jpg");
    const code = `import sys, PIL.Image as I; p = I.open(sys.argv[1]); e = p.getexif(); e[282], e[283], e[296] = 300.0, 150.0, 2; p.save(sys.argv[1] + ".jpg", exif=e)`;
    await run("/usr/bin/python3", ["-c", code, path]);
    const { notes } = await bench.convert(`${path}.jpg`, "jpg", "png");
    expect(notes.get("MEDIA_CHANGED")).toBe("Pixels are square now; they were 0.50 times as wide as high.");
  });

  it("do not bring back EXIF that is to be stripped", async () => {
    const exif = { IFD0: { Artist: "Ada" }, IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 0/1" } };
    const told = await bench.given(await noise(60, 40).withExif(exif).jpeg().toBuffer(), "jpg");
    for (const to of ["png", "webp"]) {
      const { path } = await bench.convert(told, "jpg", to, { metadata: "strip", ...(to === "png" && { density: 300 }) });
      expect((await readFile(path)).includes("Ada"), to).toBe(false);
    }
  });

  it("are not made of the shape of pixels, but of the size of a drawing", async () => {
    const png = await noise(60, 40).png().toBuffer();
    const at = png.indexOf("pHYs");
    png.writeUInt32BE(2, at + 4);
    png.writeUInt32BE(3, at + 8);
    png.writeUInt8(0, at + 12);
    png.writeUInt32BE(crc32(png.subarray(at, at + 13)), at + 13);
    const shaped = await bench.convert(await bench.given(png, "png"), "png", "png");
    expect(shaped.notes.get("MEDIA_CHANGED")).toBe("Pixels are square now; they were 1.50 times as wide as high.");
    expect(await densityOf(shaped.path)).toBe(0);
    const drawing = await bench.given(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="25.4mm" height="10mm"/>'), "svg");
    for (const to of ["png", "tiff"]) {
      expect(await densityOf((await bench.convert(drawing, "svg", to)).path), to).toBe(96);
      expect(await densityOf((await bench.convert(drawing, "svg", to, { density: 300 })).path), to).toBe(300);
    }
  });
});

describe("what is not certain of a picture", () => {
  it("is named: the end of a GIF that lacks its last frames", async () => {
    const frames = Buffer.concat([0, 90, 180].map((value) => Buffer.alloc(40 * 40 * 3, value)));
    const whole = await sharp(frames, { raw: { width: 40, height: 120, channels: 3, pageHeight: 40 } })
      .gif()
      .toBuffer();
    const second = whole.indexOf(Buffer.from([0x21, 0xf9]), whole.indexOf(Buffer.from([0x21, 0xf9])) + 8);
    for (const [bytes, isCut] of [[whole, false] as const, [whole.subarray(0, second), true] as const]) {
      const { notes } = await bench.convert(await bench.given(bytes, "gif"), "gif", "webp");
      expect(notes.has("INPUT_DAMAGED")).toBe(isCut);
    }
    const appended = Buffer.concat([whole, Buffer.from("appended")]);
    expect((await bench.convert(await bench.given(appended, "gif"), "gif", "png")).notes.has("INPUT_DAMAGED")).toBe(false);
  });

  it.each([0, 2])("is named: a further channel of a TIFF, of kind %i", async (kind) => {
    const tiff = await sharp({ create: { width: 8, height: 8, channels: 4, background: "#f008" } })
      .tiff({ compression: "none" })
      .toBuffer();
    const tag = Buffer.from([0x52, 0x01, 3, 0, 1, 0, 0, 0]);
    tiff.writeUInt16LE(kind, tiff.indexOf(tag) + 8);
    const { notes } = await bench.convert(await bench.given(tiff, "tiff"), "tiff", "png");
    expect(notes.get("MEDIA_CHANGED")).toBe(kind === 0 ? "A further channel of unstated meaning was taken for transparency." : undefined);
  });
});

describe("a PNG with text", () => {
  /** With text in other letters and text after the picture, and 144 dots per inch where EXIF says 72. */
  const worded = `
import sys, zlib
from PIL import Image, PngImagePlugin
told = PngImagePlugin.PngInfo()
told.add_text("Title", "Plain")
told.add_itxt("Comment", "Größe 漢字", "de")
exif = Image.Exif()
exif[282], exif[283], exif[296] = 72.0, 72.0, 2
picture = Image.effect_noise((int(sys.argv[2]), int(sys.argv[3])), 50).convert("RGB")
picture.save(sys.argv[1], pnginfo=told, dpi=(144, 144), exif=exif)
whole = open(sys.argv[1], "rb").read()
late = b"tEXtAuthor\\0Ada"
chunk = (len(late) - 4).to_bytes(4, "big") + late + zlib.crc32(late).to_bytes(4, "big")
open(sys.argv[1], "wb").write(whole[:-12] + chunk + whole[-12:])`;
  const read = `
import sys
from PIL import Image
picture = Image.open(sys.argv[1])
picture.load()
print([picture.text.get(key) for key in ("Title", "Comment", "Author")], round(picture.info["dpi"][0]), picture.width)`;

  it.each([
    [{ width: 40 }, 80, 60, 40],
    [{ width: 40, maxKb: 5 }, 80, 60, 40],
    [{ rotate: "90" }, 3500, 2500, 2500],
  ])("keeps all of it in every script, and the resolution that it states, when it changes: %j", async (options, width, height, after) => {
    const source = join(bench.folder, `worded-${width}-${Object.keys(options).join("-")}.png`);
    await run("/usr/bin/python3", ["-c", worded, source, String(width), String(height)]);
    const { path, notes } = await bench.convert(source, "png", "png", options);
    expect((await run("/usr/bin/python3", ["-c", read, path])).stdout.trim()).toBe(`['Plain', 'Größe 漢字', 'Ada'] 144 ${after}`);
    expect([...notes.keys()].filter((code) => code !== "FITTED_TO_SIZE")).toEqual([]);
  });

  it("loses all of it when it is stripped", async () => {
    const source = join(bench.folder, "stripped.png");
    await run("/usr/bin/python3", ["-c", worded, source, "80", "60"]);
    const { path } = await bench.convert(source, "png", "png", { metadata: "strip" });
    expect((await readFile(path)).toString("latin1")).not.toMatch(/Ada|Comment|Plain/);
  });
});

describe("texts of a PNG", () => {
  it.each([60, 4000])("keep their characters in a PNG %i pixels wide", async (width) => {
    const png = await sharp({ create: { width, height: 2500, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    const text = (kind: string, content: Buffer) => {
      const chunk = Buffer.concat([Buffer.from(kind), content]);
      const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
      length.writeUInt32BE(content.length);
      sum.writeUInt32BE(crc32(chunk));
      return Buffer.concat([length, chunk, sum]);
    };
    const texts = [text("tEXt", Buffer.from("Title\0Caf\xe9", "latin1")), text("iTXt", Buffer.from("Author\0\0\0\0\0Ж. Ü"))];
    const source = await bench.given(Buffer.concat([png.subarray(0, 33), ...texts, png.subarray(33)]), "png");
    const { path } = await bench.convert(source, "png", "png", { flip: "horizontal" });
    const code =
      "import sys; from PIL import Image; i = Image.open(sys.argv[1]); i.load(); print(ascii([i.text['Title'], i.text['Author'], i.size[0]]))";
    const { stdout } = await run("/usr/bin/python3", ["-c", code, path]);
    expect(stdout.trim()).toBe(`['Caf\\xe9', '\\u0416. \\xdc', ${width}]`);
  });

  it("get a right sum where theirs is wrong", async () => {
    const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    const chunk = Buffer.from("tEXtTitle\0Caf\xe9", "latin1");
    const wrong = Buffer.concat([Buffer.from([0, 0, 0, chunk.length - 4]), chunk, Buffer.from("none")]);
    const source = await bench.given(Buffer.concat([png.subarray(0, -12), wrong, png.subarray(-12)]), "png");
    const bytes = await readFile((await bench.convert(source, "png", "png", { flip: "horizontal" })).path);
    expect(bytes.readUInt32BE(bytes.indexOf(chunk) + chunk.length)).toBe(crc32(chunk));
  });
});
