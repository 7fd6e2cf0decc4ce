import { expect, test } from "vitest";
import { drawingOf } from "#client/preview/drawing.ts";

const collection = (...geometries: object[]) => ({
  type: "FeatureCollection",
  features: geometries.map((geometry) => ({ type: "Feature", properties: {}, geometry })),
});

test("a border is drawn north up, with its width scaled to its latitude", () => {
  const square = [
    [8, 59],
    [10, 59],
    [10, 61],
    [8, 61],
    [8, 59],
  ].map(([x, y]) => [x, y]);
  const drawing = drawingOf(collection({ type: "Polygon", coordinates: [square] }));
  expect(drawing).toMatchObject({ height: 640, points: [] });
  // At 60 degrees a degree of longitude is half as long as one of latitude.
  expect(drawing?.width).toBe(328);
  expect(drawing?.lines).toBe("M8.0 632.0L320.0 632.0L320.0 8.0L8.0 8.0L8.0 632.0");
});

test("points, lines and collections are drawn at any depth of nesting", () => {
  const drawing = drawingOf({
    type: "GeometryCollection",
    geometries: [
      { type: "Point", coordinates: [0, 0] },
      {
        type: "MultiPoint",
        coordinates: [
          [1, 1],
          [2, 2],
        ],
      },
      {
        type: "Feature",
        geometry: {
          type: "GeometryCollection",
          geometries: [
            {
              type: "LineString",
              coordinates: [
                [0, 0],
                [4, 4],
              ],
            },
          ],
        },
      },
      {
        type: "MultiPolygon",
        coordinates: [
          [
            [
              [0, 0],
              [1, 0],
              [1, 1],
              [0, 0],
            ],
          ],
          [
            [
              [3, 3],
              [4, 3],
              [4, 4],
              [3, 3],
            ],
          ],
        ],
      },
    ],
  });
  expect(drawing?.points).toHaveLength(3);
  expect(drawing?.lines.match(/M/g)).toHaveLength(3);
});

test("invalid geometries are skipped, and a document without valid ones has no drawing", () => {
  for (const nothing of [
    null,
    3,
    "x",
    [],
    {},
    collection({ type: "Point", coordinates: ["a", null] }),
    { type: "Feature", geometry: null },
  ])
    expect(drawingOf(nothing), JSON.stringify(nothing)).toBeUndefined();
  expect(drawingOf({ type: "Point", coordinates: [5, 5] })).toMatchObject({ lines: "" });
  let deep: object = { type: "Point", coordinates: [1, 1] };
  for (let count = 0; count < 50_000; count++) deep = { type: "GeometryCollection", geometries: [deep] };
  expect(drawingOf(deep)?.points).toHaveLength(1);
});

test("a line with many points is simplified", () => {
  const coordinates = Array.from({ length: 200_000 }, (_, index) => [index / 200_000, Math.sin(index / 1e4)]);
  const drawing = drawingOf({ type: "LineString", coordinates });
  expect(drawing?.lines.length).toBeLessThan(2_000_000);
});
