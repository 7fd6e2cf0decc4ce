import { expect, it } from "vitest";
import { declaredShape, exifDensity } from "#services/conversion/engines/pictures/sharp-headers.mjs";

/** EXIF with two resolutions and their unit. @see TIFF 6.0, section 2 */
function exifOf(across: number, down: number, unit = 2): Buffer {
  const exif = Buffer.alloc(66);
  exif.write("MM\0*\0\0\0\x08\0\x03", "latin1");
  for (const [index, value] of [across, down].entries()) {
    const at = 10 + index * 12;
    const place = 50 + index * 8;
    exif.writeUInt16BE(0x11a + index, at);
    exif.writeUInt16BE(5, at + 2);
    exif.writeUInt32BE(1, at + 4);
    exif.writeUInt32BE(place, at + 8);
    exif.writeUInt32BE(value, place);
    exif.writeUInt32BE(1, place + 4);
  }
  exif.writeUInt16BE(0x128, 34);
  exif.writeUInt16BE(3, 36);
  exif.writeUInt32BE(1, 38);
  exif.writeUInt16BE(unit, 42);
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

it("reads pixels per inch from EXIF only with a unit", () => {
  expect(exifDensity(exifOf(150, 150))).toBe(150);
  expect(exifDensity(exifOf(100, 100, 3))).toBe(254);
  expect(exifDensity(exifOf(150, 150, 1))).toBeUndefined();
  expect(exifDensity(undefined)).toBeUndefined();
});
