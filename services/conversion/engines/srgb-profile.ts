/** sRGB as an ICC profile, for programs that convert colours by files and bring none. */

/** Points of the curve: enough for 8 bits without a step. */
const curvePoints = 1024;

/** Adapted to D50, as profiles want it. @see IEC 61966-2-1, ICC.1:2001-04 */
const colorants = {
  wtpt: [0.9642, 1, 0.8249],
  rXYZ: [0.43607, 0.22249, 0.01392],
  gXYZ: [0.38515, 0.71687, 0.09708],
  bXYZ: [0.14307, 0.06061, 0.7141],
} as const;

/** Version 2, a matrix and curves. */
export function srgbProfile(): Buffer {
  const curve = curveOf();
  const parts: readonly (readonly [string, Buffer])[] = [
    ["desc", descriptionOf("sRGB")],
    ["cprt", Buffer.from("text\0\0\0\0CC0\0", "latin1")],
    ...Object.entries(colorants).map(([name, values]) => [name, placeOf(values)] as const),
    ...["rTRC", "gTRC", "bTRC"].map((name) => [name, curve] as const),
  ];
  const table = Buffer.alloc(4 + parts.length * 12);
  table.writeUInt32BE(parts.length);
  let at = 128 + table.length;
  for (const [index, [name, part]] of parts.entries()) {
    table.write(name, 4 + index * 12, "latin1");
    table.writeUInt32BE(at, 8 + index * 12);
    table.writeUInt32BE(part.length, 12 + index * 12);
    at += part.length;
  }
  const head = Buffer.alloc(128);
  head.writeUInt32BE(at);
  head.writeUInt32BE(0x02100000, 8);
  head.write("mntrRGB XYZ ", 12, "latin1");
  head.write("acsp", 36, "latin1");
  placeOf(colorants.wtpt).copy(head, 68, 8);
  return Buffer.concat([head, table, ...parts.map(([, part]) => part)]);
}

function placeOf(values: readonly number[]): Buffer {
  const place = Buffer.alloc(20);
  place.write("XYZ ", "latin1");
  for (const [index, value] of values.entries()) place.writeInt32BE(Math.round(value * 65_536), 8 + index * 4);
  return place;
}

/** Text in ASCII, and none in the two other forms. */
function descriptionOf(text: string): Buffer {
  const description = Buffer.alloc(12 + text.length + 1 + 79);
  description.write("desc", "latin1");
  description.writeUInt32BE(text.length + 1, 8);
  description.write(text, 12, "latin1");
  return Buffer.concat([description, Buffer.alloc(-description.length & 3)]);
}

function curveOf(): Buffer {
  const curve = Buffer.alloc(12 + curvePoints * 2);
  curve.write("curv", "latin1");
  curve.writeUInt32BE(curvePoints, 8);
  for (let index = 0; index < curvePoints; index++) {
    const value = index / (curvePoints - 1);
    const light = value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    curve.writeUInt16BE(Math.round(light * 65_535), 12 + index * 2);
  }
  return curve;
}
