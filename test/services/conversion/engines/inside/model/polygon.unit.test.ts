import { expect, test } from "vitest";
import { trianglesIn } from "#services/conversion/engines/inside/model/polygon.ts";

type Place = readonly [number, number, number];
/** Twice the area, as a vector perpendicular to the front. */
const areaOf = ([a, b, c]: readonly Place[]): readonly number[] =>
  [0, 1, 2].map((axis) => {
    const edge = (to: Place | undefined, of: number) => (to?.[of % 3] ?? 0) - (a?.[of % 3] ?? 0);
    return edge(b, axis + 1) * edge(c, axis + 2) - edge(b, axis + 2) * edge(c, axis + 1);
  });

const arrow: readonly Place[] = [
  [0, 0, 0],
  [4, 0, 0],
  [4, 4, 0],
  [2, 1, 0],
  [0, 4, 0],
];
const turns: readonly (readonly [string, (place: Place) => Place])[] = [
  ["lies", ([x, y, z]) => [x, y, z]],
  ["stands", ([x, y, z]) => [z, x, y]],
  ["stands across", ([x, y, z]) => [y, z, x]],
  ["leans", ([x, y]) => [x, y, x + y]],
];

test.each(turns)("triangulates a concave polygon that %s within its borders, and keeps its winding", (_name, turn) => {
  for (const shape of [arrow, arrow.toReversed()]) {
    const places = shape.map(turn);
    const cut = trianglesIn(places.length, (corner) => places[corner] ?? []);
    const areas = Array.from({ length: cut.length / 3 }, (__, at) =>
      areaOf(cut.slice(at * 3, at * 3 + 3).map((corner) => places[corner] ?? [0, 0, 0])),
    );
    const whole = areas.reduce((sum, area) => sum.map((value, axis) => value + (area[axis] ?? 0)));
    // They do not overlap: the areas add up to that of the arrow, 10, and all face the same way.
    const least = Math.max(...whole.map(Math.abs));
    expect(least).toBeCloseTo(20, 6);
    const axis = whole.findIndex((value) => Math.abs(value) === least);
    expect(areas.every((area) => (area[axis] ?? 0) * (whole[axis] ?? 0) > 0)).toBe(true);
  }
});

test("keeps the vertices of a polygon without area, and refuses too many of them", () => {
  expect(trianglesIn(4, (corner) => [corner, 0, 0])).toHaveLength(6);
  expect(() => trianglesIn(5000, (corner) => [corner, 0, 0])).toThrow(/too many vertices/);
});
