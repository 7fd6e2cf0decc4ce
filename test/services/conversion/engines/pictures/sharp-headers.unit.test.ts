import { expect, it } from "vitest";
import { declaredShape } from "#services/conversion/engines/pictures/sharp-headers.mjs";

/** EXIF with two resolutions. @see TIFF 6.0, section 2 */
function exifOf(across: number, down: number): Buffer {
  const exif = Buffer.alloc(54);
  exif.write("MM\0*\0\0\0\x08\0\x02", "latin1");
  for (const [index, value] of [across, down].entries()) {
    const at = 10 + index * 12;
    const place = 38 + index * 8;
    exif.writeUInt16BE(0x11a + index, at);
    exif.writeUInt16BE(5, at + 2);
    exif.writeUInt32BE(1, at + 4);
    exif.writeUInt32BE(place, at + 8);
    exif.writeUInt32BE(value, place);
    exif.writeUInt32BE(1, place + 4);
  }
  return exif;
}

const jfif = (across: number, down: number) =>
  Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, ...Buffer.from("JFIF\0\x01\x01\0", "latin1"), 0, across, 0, down, 0, 0]);

it("reads the shape of pixels from EXIF where JFIF has none", () => {
  expect(declaredShape("jpg", jfif(1, 1), exifOf(204, 98))).toBeCloseTo(98 / 204);
  expect(declaredShape("jpg", jfif(2, 1), exifOf(204, 204))).toBe(0.5);
  expect(declaredShape("jpg", Buffer.from([0xff, 0xd8, 0xff, 0xdb]), exifOf(300, 300))).toBe(1);
  expect(declaredShape("jpg", jfif(1, 1), exifOf(204, 98).subarray(0, 40))).toBe(1);
  expect(declaredShape("jpg", jfif(1, 1), undefined)).toBe(1);
});
