import { expect, it } from "vitest";
import { soundEndOf } from "#services/conversion/inspectors/inside/sound-end.ts";

function box(type: string, ...content: readonly (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((each) => Buffer.from(each)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + bytes.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, bytes]);
}
const text = (type: string, words: string) => box(type, Buffer.alloc(6), `${words}\0`);
const film = (...boxes: readonly Buffer[]) => box("moov", box("mvhd", Buffer.alloc(100)), box("udta", ...boxes));

it.each([
  ["the title that iMovie writes", film(text("titl", "My quokka")), "descriptions"],
  ["XMP of QuickTime", film(box("XMP_", "<x:xmpmeta/>")), "xmp"],
  ["XMP of MP4", box("uuid", Buffer.from("be7acfcb97a942e89c71999491e3afac", "hex"), "<x:xmpmeta/>"), "xmp"],
  ["an empty author", film(text("auth", "")), undefined],
])("finds in a film %s", async (_, bytes, kind) => {
  const head = Buffer.concat([box("ftyp", "isom", Buffer.alloc(4)), bytes]);
  const source = { sizeBytes: head.length, head, read: async (at: number, count: number) => head.subarray(at, at + count) };
  expect((await soundEndOf(source, { format: "mov" })).beside).toEqual(kind === undefined ? [] : [{ kind, parts: 1 }]);
});
