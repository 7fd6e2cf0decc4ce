/**
 * Shapes as stored in a GeoPackage: a header, then well-known binary, which GDAL writes in little-endian order.
 * @see https://www.geopackage.org/spec/#gpb_format
 */

export const sorts = ["points", "multipoints", "lines", "areas", "others"] as const;
export type Sort = (typeof sorts)[number];

export type Shape = {
  readonly sort: Sort;
  readonly hasHeights: boolean;
  readonly hasMeasures: boolean;
  /** Not a multi-part shape. */
  readonly isSingle: boolean;
  readonly type: string;
};

const types = ["GEOMETRY", "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON"];

/** By WKB type, minus 1000 for heights, 2000 for measures, 3000 for both. */
const sortOfType: Readonly<Record<number, Sort>> = { 1: "points", 2: "lines", 3: "areas", 4: "multipoints", 5: "lines", 6: "areas" };

/** Bytes of the bounding box in the header, by the number in its flags. */
const boundsBytes = [0, 32, 48, 48, 64] as const;

/** Offset of the binary after the header. */
export function binaryAt(blob: Uint8Array): number {
  return 8 + (boundsBytes[((blob[3] ?? 0) >> 1) & 7] ?? 0);
}

function viewOf(blob: Uint8Array): DataView {
  return new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
}

export function shapeOf(blob: Uint8Array): Shape {
  const code = viewOf(blob).getUint32(binaryAt(blob) + 1, true);
  const more = Math.floor(code / 1000);
  return {
    sort: sortOfType[code % 1000] ?? "others",
    hasHeights: more === 1 || more === 3,
    hasMeasures: more >= 2,
    isSingle: code % 1000 < 4,
    type: types[code % 1000] ?? "GEOMETRY",
  };
}

/** Splits a multipoint into single points. */
export function pointsIn(blob: Uint8Array): readonly Uint8Array[] {
  const start = binaryAt(blob);
  const count = viewOf(blob).getUint32(start + 5, true);
  const bytes = (blob.byteLength - start - 9) / Math.max(1, count);
  return Array.from({ length: count }, (_, index) => {
    const made = new Uint8Array(8 + bytes);
    made.set(blob.subarray(0, 8));
    made[3] = (blob[3] ?? 0) & 1;
    const at = start + 9 + index * bytes;
    made.set(blob.subarray(at, at + bytes), 8);
    return made;
  });
}

/** An area, or several, with outer rings counter-clockwise and holes clockwise. @see RFC 7946, section 3.1.6 */
export function rightHanded(blob: Uint8Array): Uint8Array {
  const made = Uint8Array.from(blob);
  const view = viewOf(made);
  const start = binaryAt(made);
  const turnPolygon = (from: number): number => {
    const more = Math.floor(view.getUint32(from + 1, true) / 1000);
    const width = more === 0 ? 16 : more === 3 ? 32 : 24;
    let at = from + 9;
    for (let ring = 0; ring < view.getUint32(from + 5, true); ring++) {
      const points = view.getUint32(at, true);
      const area = areaOf(view, at + 4, points, width);
      if (ring === 0 ? area < 0 : area > 0) reverse(made, at + 4, points, width);
      at += 4 + points * width;
    }
    return at;
  };
  if (shapeTypeOf(made) === 3) turnPolygon(start);
  else for (let at = start + 9, left = view.getUint32(start + 5, true); left > 0; left--) at = turnPolygon(at);
  return made;
}

/** Twice the signed area of a ring, negative if it is clockwise. */
function areaOf(view: DataView, at: number, points: number, width: number): number {
  const [x0, y0] = points > 0 ? [view.getFloat64(at, true), view.getFloat64(at + 8, true)] : [0, 0];
  const point = (index: number) =>
    [view.getFloat64(at + index * width, true) - x0, view.getFloat64(at + index * width + 8, true) - y0] as const;
  let sum = 0;
  for (let index = 0; index + 1 < points; index++) {
    const [[x1, y1], [x2, y2]] = [point(index), point(index + 1)];
    sum += x1 * y2 - x2 * y1;
  }
  return sum;
}

function reverse(bytes: Uint8Array, at: number, points: number, width: number): void {
  const before = bytes.slice(at, at + points * width);
  for (let index = 0; index < points; index++) {
    bytes.set(before.subarray(index * width, (index + 1) * width), at + (points - 1 - index) * width);
  }
}

/** Number of points in each part of a line or multi-line. */
export function pointsOfParts(blob: Uint8Array): readonly number[] {
  return partsOf(blob).map(({ points }) => points);
}

/** 2 is a line, 5 a multi-line. */
function shapeTypeOf(blob: Uint8Array): number {
  return viewOf(blob).getUint32(binaryAt(blob) + 1, true) % 1000;
}

/** Circular strings, and what is composed of them. */
export function isCurved(blob: Uint8Array): boolean {
  const type = shapeTypeOf(blob);
  return type >= 8 && type <= 12;
}

type Part = { readonly at: number; readonly points: number; readonly width: number };

function partsOf(blob: Uint8Array): readonly Part[] {
  const view = viewOf(blob);
  const start = binaryAt(blob);
  const partAt = (at: number): Part => {
    const more = Math.floor(view.getUint32(at + 1, true) / 1000);
    return { at: at + 9, points: view.getUint32(at + 5, true), width: more === 0 ? 16 : more === 3 ? 32 : 24 };
  };
  if (shapeTypeOf(blob) === 2) return [partAt(start)];
  const parts: Part[] = [];
  let at = start + 9;
  for (let left = view.getUint32(start + 5, true); left > 0; left--) {
    const part = partAt(at);
    parts.push(part);
    at = part.at + part.points * part.width;
  }
  return parts;
}

/** A line or multi-line without its heights. */
export function withoutHeights(blob: Uint8Array): Uint8Array {
  const parts = partsOf(blob);
  const isOne = shapeTypeOf(blob) === 2;
  const made = Buffer.alloc(8 + (isOne ? 0 : 9) + parts.reduce((sum, { points }) => sum + 9 + points * 16, 0));
  // The header gets no bounds; of its flags only the byte order is kept.
  made.set(blob.subarray(0, 8));
  made[3] = (blob[3] ?? 0) & 1;
  let at = isOne ? 8 : writeHead(made, 8, 5, parts.length);
  for (const { at: from, points, width } of parts) {
    at = writeHead(made, at, 2, points);
    for (let index = 0; index < points; index++, at += 16) made.set(blob.subarray(from + index * width, from + index * width + 16), at);
  }
  return made;
}

function writeHead(made: Buffer, at: number, type: number, count: number): number {
  made[at] = 1;
  made.writeUInt32LE(type, at + 1);
  return made.writeUInt32LE(count, at + 5);
}
