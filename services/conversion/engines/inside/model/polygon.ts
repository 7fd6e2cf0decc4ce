/** Triangulates polygons in space. */
import earcut from "earcut";
import { tooComplex } from "../failure.ts";

/** Triangulation takes up to quadratic time. */
const maxCorners = 2000;

type Place = readonly number[];

/** Indices of the polygon's own vertices, three per triangle. */
export function trianglesIn(count: number, placeOf: (corner: number) => Place): readonly number[] {
  if (count === 3) return [0, 1, 2];
  if (count > maxCorners) throw tooComplex("The model has faces with too many vertices.");
  const places = Array.from({ length: count }, (_, corner) => placeOf(corner));
  const normal = normalOf(places);
  const widest = normal.map(Math.abs).reduce((best, size, axis, sizes) => (size > (sizes[best] ?? 0) ? axis : best), 0);
  // Projected from the front, so that the triangles keep the polygon's winding.
  const [u, v] = (normal[widest] ?? 0) < 0 ? [(widest + 2) % 3, (widest + 1) % 3] : [(widest + 1) % 3, (widest + 2) % 3];
  const flat = places.flatMap((place) => [place[u] ?? 0, place[v] ?? 0]);
  const cut = earcut(flat);
  // earcut returns nothing for a polygon without area: a fan keeps its face.
  const fan = () => Array.from({ length: count - 2 }, (_, index) => [0, index + 1, index + 2]).flat();
  return turnedLike(cut.length > 0 ? cut : fan(), flat);
}

/** Newell's method, which also handles non-planar and concave polygons. */
function normalOf(places: readonly Place[]): number[] {
  const sum = [0, 0, 0];
  places.forEach((a, index) => {
    const b = places[(index + 1) % places.length] ?? a;
    for (const axis of [0, 1, 2]) {
      const [p, q] = [(axis + 1) % 3, (axis + 2) % 3];
      sum[axis] = (sum[axis] ?? 0) + ((a[p] ?? 0) - (b[p] ?? 0)) * ((a[q] ?? 0) + (b[q] ?? 0));
    }
  });
  return sum;
}

/** Makes all triangles counter-clockwise, whatever winding the library returns. */
function turnedLike(triangles: ArrayLike<number>, flat: readonly number[]): number[] {
  const turned: number[] = [];
  for (let at = 0; at + 2 < triangles.length; at += 3) {
    const [a = 0, b = 0, c = 0] = [triangles[at], triangles[at + 1], triangles[at + 2]];
    const x = (corner: number) => flat[corner * 2] ?? 0;
    const y = (corner: number) => flat[corner * 2 + 1] ?? 0;
    const area = (x(b) - x(a)) * (y(c) - y(a)) - (x(c) - x(a)) * (y(b) - y(a));
    turned.push(...(area < 0 ? [a, c, b] : [a, b, c]));
  }
  return turned;
}
