/** Coordinates of shapes, and shapes with a single part. */
import { binaryAt } from "./shape.ts";

/** Whether a test holds for any x or y coordinate; heights and measures are ignored. */
export function someCoordinate(blob: Uint8Array, test: (value: number) => boolean): boolean {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  let at = binaryAt(blob);
  let isFound = false;
  const take = (count: number, width: number) => {
    for (let index = 0; index < count && !isFound; index++) {
      const from = at + index * width;
      isFound = test(view.getFloat64(from, true)) || test(view.getFloat64(from + 8, true));
    }
    at += count * width;
  };
  const number = () => {
    at += 4;
    return view.getUint32(at - 4, true);
  };
  const walk = (): void => {
    const code = view.getUint32(at + 1, true);
    at += 5;
    const more = Math.floor(code / 1000);
    const [type, width] = [code % 1000, more === 0 ? 16 : more === 3 ? 32 : 24];
    if (type === 1) take(1, width);
    else if (type === 2 || type === 8) take(number(), width);
    else if (type === 3) for (let rings = number(); rings > 0 && !isFound; rings--) take(number(), width);
    else for (let parts = number(); parts > 0 && !isFound; parts--) walk();
  };
  walk();
  return isFound;
}

/** The height of a point. */
export function heightOf(blob: Uint8Array): number {
  return new DataView(blob.buffer, blob.byteOffset, blob.byteLength).getFloat64(binaryAt(blob) + 21, true);
}

/** The shape itself, or its only part, if it is a point, a line, or an area without holes. */
export function simpleShape(blob: Uint8Array): Uint8Array | undefined {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  const start = binaryAt(blob);
  const type = view.getUint32(start + 1, true) % 1000;
  const parts = type > 1 ? view.getUint32(start + 5, true) : 1;
  if (type <= 2 || (type === 3 && parts <= 1)) return blob;
  if (type === 3 || type > 6 || parts !== 1) return undefined;
  const part = new Uint8Array(8 + blob.byteLength - start - 9);
  part.set(blob.subarray(0, 8));
  part[3] = (blob[3] ?? 0) & 1;
  part.set(blob.subarray(start + 9), 8);
  return simpleShape(part);
}
