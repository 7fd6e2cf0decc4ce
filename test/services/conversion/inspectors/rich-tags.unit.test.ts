import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { richTagsOf } from "#services/conversion/inspectors/inside/rich-tags.ts";

const sourceOf = (bytes: Buffer) => ({
  sizeBytes: bytes.length,
  head: bytes.subarray(0, 65_536),
  read: async (offset: number, length: number) => bytes.subarray(offset, offset + length),
});
const mayHave = async (bytes: Buffer, format: string) => (await richTagsOf(sourceOf(bytes), { format })).mayHave;

const box = (name: string, ...inner: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(inner);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length);
  head.write(name, 4, "latin1");
  return Buffer.concat([head, content]);
};
const largeBox = (name: string, content: Buffer): Buffer => {
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1);
  head.write(name, 4, "latin1");
  head.writeBigUInt64BE(BigInt(16 + content.length), 8);
  return Buffer.concat([head, content]);
};
const film = (...items: readonly string[]): Buffer => {
  const list = box("ilst", ...items.map((name) => box(name, box("data", Buffer.alloc(9)))));
  const meta = box("meta", Buffer.alloc(4), box("hdlr", Buffer.alloc(25)), list);
  return Buffer.concat([
    box("ftyp", Buffer.from("isom")),
    largeBox("mdat", Buffer.alloc(200_000)),
    box("moov", box("mvhd", Buffer.alloc(100)), box("udta", meta)),
  ]);
};
const chunk = (name: string, content: Buffer, isBig: boolean): Buffer => {
  const head = Buffer.alloc(8);
  head.write(name, 0, "latin1");
  if (isBig) head.writeUInt32BE(content.length, 4);
  else head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
};
const wave = (...chunks: readonly Buffer[]): Buffer => Buffer.concat([Buffer.from("RIFF\0\0\0\0WAVE"), ...chunks]);
const silence = chunk("data", Buffer.alloc(1001), false);

describe("tags that FFmpeg may not read", () => {
  it("are absent from a film that names only its encoder", async () => {
    expect(await mayHave(film("\xa9too"), "mov")).toBe(false);
    expect(await mayHave(film(), "mov")).toBe(false);
    expect(await mayHave(Buffer.concat([box("ftyp"), box("moov", box("mvhd")), box("mdat")]), "mov")).toBe(false);
  });

  it.each(["tmpo", "covr", "----", "\xa9lyr"])("are present in a film with the item %s", async (name) => {
    expect(await mayHave(film("\xa9too", name), "mov")).toBe(true);
  });

  it("are absent from RIFF INFO, but present in ID3 next to the audio data", async () => {
    const words = chunk("LIST", Buffer.from("INFOISFT\x04\0\0\0Lavf"), false);
    expect(await mayHave(wave(words, silence), "wav")).toBe(false);
    const foreign = chunk("LIST", Buffer.from("INFOIART\x06\0\0\0J\u00fcrgen", "latin1"), false);
    expect(await mayHave(wave(foreign, silence), "wav"), "not Unicode").toBe(true);
    for (const name of ["id3 ", "ID3 "]) expect(await mayHave(wave(silence, chunk(name, Buffer.alloc(20), false)), "wav")).toBe(true);
    const aiff = (...chunks: readonly Buffer[]) => Buffer.concat([Buffer.from("FORM\0\0\0\0AIFF"), ...chunks]);
    const sound = chunk("SSND", Buffer.alloc(77), true);
    expect(await mayHave(aiff(sound), "aiff")).toBe(false);
    expect(await mayHave(aiff(sound, chunk("ID3 ", Buffer.alloc(20), true)), "aiff")).toBe(true);
  });

  it("are present if APE tags follow the content", async () => {
    for (const [bytes, format] of [
      [wave(silence), "wav"],
      [film(), "mov"],
    ] as const) {
      expect(await mayHave(Buffer.concat([bytes, Buffer.from("APETAGEX"), Buffer.alloc(24)]), format)).toBe(true);
    }
  });

  it("are assumed in unclear cases and all other formats", async () => {
    expect(await mayHave(film().subarray(0, -3), "mov")).toBe(true);
    expect(await mayHave(wave(silence, Buffer.from("LIST\xff\xff\xff\xff")), "wav")).toBe(true);
    expect(await mayHave(Buffer.concat([film(), ...Array.from({ length: 200 }, () => box("moof"))]), "mov")).toBe(true);
    for (const format of ["mp3", "flac", "ogg", "asf"]) expect(await mayHave(Buffer.alloc(100), format)).toBe(true);
  });

  it("are found in a corpus file", async () => {
    expect(await mayHave(readFileSync("test/corpus/typical/audio/typical.m4a"), "mov")).toBe(true);
  });

  it("are looked for without an error in any bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.constantFrom("mov", "wav", "aiff"), async (bytes, format) => {
        expect(typeof (await mayHave(Buffer.from(bytes), format))).toBe("boolean");
      }),
    );
  });
});
