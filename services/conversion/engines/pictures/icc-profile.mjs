// Makes RGB and grey ICC profiles, for programs that need profile files but ship none. Also runs inside the sandbox.

/** Points per curve: enough for 16 bits of standard dynamic range and for eight bits of high dynamic range. */
const curvePoints = 4096;

/** x and y of red, green, blue and white. @see ITU-R BT.709 */
const bt709 = [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329];

/** From XYZ to the responses of the eye's cones. @see ICC.1:2022, annex E */
const bradford = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];
/** White point of profiles: D50. */
const profileWhite = [0.9642, 1, 0.8249];

/**
 * A version 2 profile of sRGB, with a matrix and curves.
 *
 * @see IEC 61966-2-1
 * @returns {Buffer}
 */
export function srgbProfile() {
  return profileOf({ name: "sRGB", primaries: bt709, lightOf: srgbLight, isGrey: false });
}

/**
 * Linear light, from 0 to 1, of an sRGB value.
 *
 * @param {number} value
 */
export function srgbLight(value) {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/**
 * @see ICC.1:2001-04
 * @param {{ name: string, primaries: readonly number[], lightOf: (value: number) => number, isGrey: boolean }} space
 * - primaries: x and y of red, green, blue and white; lightOf: linear light of a value, both from 0 to 1.
 * @returns {Buffer}
 */
export function profileOf({ name, primaries, lightOf, isGrey }) {
  const curve = curveOf(lightOf);
  /** @type {(readonly [string, Buffer])[]} */
  const parts = [
    ["desc", descriptionOf(name)],
    ["cprt", Buffer.from("text\0\0\0\0CC0\0", "latin1")],
    ["wtpt", placeOf(profileWhite)],
  ];
  if (isGrey) parts.push(["kTRC", curve]);
  else {
    const places = colorantsOf(primaries);
    for (const [index, letter] of ["r", "g", "b"].entries())
      parts.push([`${letter}XYZ`, placeOf(places[index] ?? [])], [`${letter}TRC`, curve]);
  }
  const table = Buffer.alloc(4 + parts.length * 12);
  table.writeUInt32BE(parts.length);
  let at = 128 + table.length;
  for (const [index, [tag, part]] of parts.entries()) {
    table.write(tag, 4 + index * 12, "latin1");
    table.writeUInt32BE(at, 8 + index * 12);
    table.writeUInt32BE(part.length, 12 + index * 12);
    at += part.length;
  }
  const head = Buffer.alloc(128);
  head.writeUInt32BE(at);
  head.writeUInt32BE(0x02100000, 8);
  head.write(isGrey ? "mntrGRAYXYZ " : "mntrRGB XYZ ", 12, "latin1");
  head.write("acsp", 36, "latin1");
  placeOf(profileWhite).copy(head, 68, 8);
  return Buffer.concat([head, table, ...parts.map(([, part]) => part)]);
}

/**
 * XYZ of red, green and blue, adapted to D50.
 *
 * @param {readonly number[]} primaries
 */
function colorantsOf(primaries) {
  const corners = [0, 2, 4, 6].map((at) => whole(primaries[at] ?? 0, primaries[at + 1] ?? 1));
  const [white = []] = corners.slice(3);
  const shares = solved(corners.slice(0, 3), white);
  const [from, to] = [white, profileWhite].map((place) => bradford.map((row) => product(row, place)));
  return corners.slice(0, 3).map((corner, index) => {
    const cones = bradford.map((row, cone) => (product(row, corner) * (shares[index] ?? 0) * (to?.[cone] ?? 0)) / (from?.[cone] ?? 1));
    return solved(columnsOf(bradford), cones);
  });
}

/** XYZ of a chromaticity, with Y = 1. @param {number} x @param {number} y */
const whole = (x, y) => [x / y, 1, (1 - x - y) / y];
/** @param {readonly number[]} a @param {readonly number[]} b */
const product = (a, b) => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
/** @param {readonly (readonly number[])[]} rows */
const columnsOf = (rows) => [0, 1, 2].map((index) => rows.map((row) => row[index] ?? 0));

/**
 * The share of each of three columns that adds up to `sum`, by Cramer's rule.
 *
 * @param {readonly (readonly number[])[]} columns
 * @param {readonly number[]} sum
 */
function solved(columns, sum) {
  const all = volume(columns);
  return columns.map((_, index) => volume(columns.map((column, place) => (place === index ? sum : column))) / all);
}

/** @param {readonly (readonly number[])[]} columns */
function volume([a = [], b = [], c = []]) {
  const cross = [0, 1, 2].map((at) => (b[(at + 1) % 3] ?? 0) * (c[(at + 2) % 3] ?? 0) - (b[(at + 2) % 3] ?? 0) * (c[(at + 1) % 3] ?? 0));
  return product(a, cross);
}

/** @param {readonly number[]} values */
function placeOf(values) {
  const place = Buffer.alloc(20);
  place.write("XYZ ", "latin1");
  for (const [index, value] of values.entries()) place.writeInt32BE(Math.round(value * 65_536), 8 + index * 4);
  return place;
}

/** ASCII text; the two other forms stay empty. @param {string} text */
function descriptionOf(text) {
  const description = Buffer.alloc(12 + text.length + 1 + 79);
  description.write("desc", "latin1");
  description.writeUInt32BE(text.length + 1, 8);
  description.write(text, 12, "latin1");
  return Buffer.concat([description, Buffer.alloc(-description.length & 3)]);
}

/** @param {(value: number) => number} lightOf */
function curveOf(lightOf) {
  const curve = Buffer.alloc(12 + curvePoints * 2);
  curve.write("curv", "latin1");
  curve.writeUInt32BE(curvePoints, 8);
  for (let index = 0; index < curvePoints; index++) {
    const light = lightOf(index / (curvePoints - 1));
    curve.writeUInt16BE(Math.round(Math.min(1, Math.max(0, light)) * 65_535), 12 + index * 2);
  }
  return curve;
}
