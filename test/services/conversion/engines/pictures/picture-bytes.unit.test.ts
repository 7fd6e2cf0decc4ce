/** Bytes of pictures that only a damaged or hostile file has. */
import { expect, it } from "vitest";
import { withClearCanvas } from "#services/conversion/engines/pictures/gif-canvas.mjs";
import { tagsOfPages } from "#services/conversion/engines/pictures/tiff-samples.mjs";

/** A page of a little-endian TIFF: tags of one number each. */
function tiffOf(tags: readonly (readonly [tag: number, value: number])[], count = tags.length): Buffer {
  const page = Buffer.alloc(10 + tags.length * 12 + 4);
  page.write("II*\0\x08", "latin1");
  page.writeUInt16LE(count, 8);
  for (const [index, [tag, value]] of tags.entries()) {
    const at = 10 + index * 12;
    page.writeUInt16LE(tag, at);
    page.writeUInt16LE(3, at + 2);
    page.writeUInt32LE(1, at + 4);
    page.writeUInt16LE(value, at + 8);
  }
  return page;
}
const pagesOf = (file: Buffer) => tagsOfPages((offset, length) => file.subarray(offset, offset + length));

it("takes the first of repeated tags, as libtiff does", async () => {
  const file = tiffOf([
    [262, 0],
    [262, 1],
  ]);
  expect(await pagesOf(file)).toEqual([{ photometric: [0] }]);
});

it("reads no page with more tags than libtiff accepts", async () => {
  const most = Array.from({ length: 4096 }, () => [262, 0] as const);
  expect(await pagesOf(tiffOf(most))).toHaveLength(1);
  expect(await pagesOf(tiffOf([...most, [262, 0]]))).toEqual([]);
});

it("leaves a GIF as it is that ends within its header or a frame", () => {
  const gif = Buffer.from("GIF89a\x02\0\x02\0\0\0\0,\x01\0\x01\0\x01\0\x01\0\0\x02\x02D\x01\0;", "latin1");
  for (let length = 0; length < gif.length; length++) {
    const cut = gif.subarray(0, length);
    expect(() => withClearCanvas(cut, () => undefined), String(length)).not.toThrow();
  }
});
