/** Triangles to draw. */
export type Mesh = {
  /** Nine numbers per triangle: x, y and z of three corners, with y up. */
  readonly places: readonly number[];
  /** Three numbers per triangle: red, green and blue, from 0 to 1. */
  readonly colours: readonly number[];
};

export type Place = readonly [x: number, y: number, z: number];
export type Colour = readonly [red: number, green: number, blue: number];

/** More triangles would block the page. */
const MAX_TRIANGLES = 400_000;
/** Number of elements to process between two checks of the clock. */
export const STEP = 300;
export const plain: Colour = [0.72, 0.75, 0.8];

export class Triangles {
  readonly places: number[] = [];
  readonly colours: number[] = [];

  /** Skips triangles with a missing or non-finite corner. */
  add(a: Place | undefined, b: Place | undefined, c: Place | undefined, colour: Colour): void {
    if (a === undefined || b === undefined || c === undefined) return;
    const corners = [...a, ...b, ...c];
    if (!corners.every(Number.isFinite)) return;
    if (this.colours.length >= 3 * MAX_TRIANGLES) throw new RangeError("more triangles than are drawn here");
    this.places.push(...corners);
    this.colours.push(...colour);
  }
}
