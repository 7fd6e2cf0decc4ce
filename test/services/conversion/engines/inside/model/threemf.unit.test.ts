import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import type { Notes } from "#services/conversion/engines/inside/exchange.ts";
import { readGlb } from "#services/conversion/engines/inside/model/glb.ts";
import { glbOfShapes, hexOf, linearOf, type Shape } from "#services/conversion/engines/inside/model/shapes.ts";
import { shapesOf3mf } from "#services/conversion/engines/inside/model/threemf.ts";
import { threeMfOf } from "#services/conversion/engines/inside/model/threemf-writing.ts";
import { solid, threeMf, withLongSizes } from "./threemf-files.ts";

/** The bounding box of all vertices in use. */
function boxOf(shapes: readonly Shape[]): readonly (readonly [number, number])[] {
  const corners = shapes.flatMap(({ parts }) =>
    parts.flatMap(({ positions, indices }) => [...indices].map((index) => positions.subarray(index * 3, index * 3 + 3))),
  );
  return [0, 1, 2].map((axis) => {
    const values = corners.map((corner) => corner[axis] ?? Number.NaN);
    return [Math.min(...values), Math.max(...values)] as const;
  });
}

const facesOf = (shapes: readonly Shape[]) => shapes.flatMap(({ parts }) => parts.map(({ indices }) => indices.length / 3));

test("reads an archive whose sizes are all in ZIP64 fields", () => {
  expect(facesOf(shapesOf3mf(withLongSizes(threeMf(solid)), new Map()))).toEqual([4]);
});

test("places an object once for each item", () => {
  const items =
    '<item objectid="1"/><item objectid="1" transform="1 0 0 0 1 0 0 0 1 100 0 0"/><item objectid="1" transform="0 1 0 -1 0 0 0 0 1 0 0 0"/>';
  const shapes = shapesOf3mf(threeMf(solid, "", { items }), new Map());
  expect(facesOf(shapes)).toEqual([4, 4, 4]);
  expect(boxOf(shapes.slice(0, 1))).toEqual([
    [0, 10],
    [0, 20],
    [0, 30],
  ]);
  expect(boxOf(shapes.slice(1, 2))).toEqual([
    [100, 110],
    [0, 20],
    [0, 30],
  ]);
  expect(boxOf(shapes.slice(2, 3))).toEqual([
    [-20, 0],
    [0, 10],
    [0, 30],
  ]);
});

test("reads objects in other parts, as slicers write them, and other units", () => {
  const resources =
    '<object id="1"><components><component objectid="1" p:path="/3D/Objects/a.model" transform="2 0 0 0 2 0 0 0 2 0 0 1"/></components></object>';
  const shapes = shapesOf3mf(threeMf(resources, "", { unit: "inch", parts: { "3D/Objects/a.model": solid } }), new Map());
  const box = boxOf(shapes).map(([least, most]) => [Number(least.toFixed(3)), Number(most.toFixed(3))]);
  expect(box).toEqual([
    [0, 508],
    [0, 1016],
    [25.4, 1549.4],
  ]);
});

test("reverses the faces of mirrored objects", () => {
  const shapes = shapesOf3mf(threeMf(solid, "", { items: '<item objectid="1" transform="-1 0 0 0 1 0 0 0 1 0 0 0"/>' }), new Map());
  expect([...(shapes[0]?.parts[0]?.indices ?? [])].slice(0, 3)).toEqual([0, 1, 2]);
});

test("keeps colours of groups and of faces", () => {
  const painted = solid.replace('v3="1"/>', 'v3="1" pid="7" p1="1"/>').replace('type="model"', 'type="model" pid="7" pindex="0"');
  const shapes = shapesOf3mf(
    threeMf(`<m:colorgroup id="7"><m:color color="#CAD1EE"/><m:color color="#FF000080"/></m:colorgroup>${painted}`),
    new Map(),
  );
  expect(shapes[0]?.parts.map(({ colour, indices }) => [colour && hexOf(colour), indices.length / 3])).toEqual([
    ["#FF000080", 1],
    ["#CAD1EEFF", 3],
  ]);
});

test.each([
  ["a missing object", solid.replace('id="1"', 'id="2"')],
  ["an object that contains itself", '<object id="1"><components><component objectid="1"/></components></object>'],
  ["a missing vertex", solid.replace('v3="2"/>', 'v3="9"/>')],
  ["an invalid number", solid.replace('x="10"', 'x="ten"')],
  [
    "a transform of eleven numbers",
    `<object id="1"><components><component objectid="1" transform="1 0 0 0 1 0 0 0 1 0 0"/></components></object>`,
  ],
])("refuses a model with %s", (_, resources) => {
  expect(() => shapesOf3mf(threeMf(resources), new Map())).toThrow(/damaged/);
});

test("writes solids with joined vertices and colours, and reads them back", async () => {
  const corner = [0, 0, 0, 1, 0, 0, 0, 1, 0];
  const loose = Float32Array.from([...corner, 1, 0, 0, 0, 0, 1, 0, 1, 0, 5, 5, 5, 5, 5, 5, 6, 6, 6]);
  const shape: Shape = {
    name: "a",
    parts: [{ positions: loose, indices: Uint32Array.from([0, 1, 2, 3, 4, 5, 6, 7, 8]), colour: linearOf([255, 0, 0]) }],
  };
  const notes: Notes = new Map();
  const written = threeMfOf(await readGlb(Buffer.from(await glbOfShapes([shape])), new Map()), notes);
  const text = Buffer.from(unzipSync(written)["3D/3dmodel.model"] ?? []).toString();
  expect(text.match(/<vertex /g)).toHaveLength(6);
  expect(text.match(/<triangle /g)).toHaveLength(2);
  // The third had two equal corners.
  expect([...notes.keys()]).toEqual(["ENTRIES_LEFT_OUT"]);
  const [found] = shapesOf3mf(Buffer.from(written), new Map());
  expect(found?.parts.map(({ colour, indices }) => [colour && hexOf(colour), indices.length])).toEqual([["#FF0000FF", 6]]);
});

test.each([
  ["metres, as glTF counts lengths", undefined, "meter", []],
  ["millimetres, which a model of 3MF or STEP had", "millimeter", "millimeter", []],
  ["millimetres, with a note, for a source without a unit", "none", "millimeter", ["METADATA_DROPPED"]],
])("writes the unit: %s", async (_, mark, unit, codes) => {
  const shape = { positions: Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]), indices: Uint32Array.from([0, 1, 2]), colour: undefined };
  const document = await readGlb(Buffer.from(await glbOfShapes([{ name: "a", parts: [shape] }])), new Map());
  const asset = document.getRoot().getAsset();
  expect(asset["extras"]).toEqual({ lengthUnit: "millimeter" });
  asset["extras"] = mark && { lengthUnit: mark };
  const notes: Notes = new Map();
  const text = Buffer.from(unzipSync(threeMfOf(document, notes))["3D/3dmodel.model"] ?? []).toString();
  expect([/ unit="([a-z]+)"/.exec(text)?.[1], [...notes.keys()]]).toEqual([unit, codes]);
});

test("keeps names in 3MF, and names texture coordinates, metalness and roughness that it lacks", async () => {
  const shape = {
    positions: Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]),
    indices: Uint32Array.from([0, 1, 2]),
    colour: linearOf([9, 9, 9]),
  };
  const document = await readGlb(Buffer.from(await glbOfShapes([{ name: 'Rad <links> & "rechts"', parts: [shape] }])), new Map());
  const notes: Notes = new Map();
  const [plain] = shapesOf3mf(Buffer.from(threeMfOf(document, notes)), new Map());
  expect([plain?.name, [...notes]]).toEqual(['Rad <links> & "rechts"', []]);
  const places = document.createAccessor().setType("VEC2").setArray(new Float32Array(6));
  document.getRoot().listMeshes()[0]?.listPrimitives()[0]?.setAttribute("TEXCOORD_0", places);
  document.getRoot().listMaterials()[0]?.setMetallicFactor(0.9).setRoughnessFactor(0.3);
  threeMfOf(document, notes);
  expect([...notes.values()]).toEqual(["Texture coordinates were left out. Metalness and roughness of materials were left out."]);
});

test("notes the loss of vertex colours, which no material holds", async () => {
  const shape: Shape = {
    name: "a",
    parts: [{ positions: Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]), indices: Uint32Array.from([0, 1, 2]), colour: undefined }],
  };
  const document = await readGlb(Buffer.from(await glbOfShapes([shape])), new Map());
  const [plain, coloured]: [Notes, Notes] = [new Map(), new Map()];
  threeMfOf(document, plain);
  const colours = document.createAccessor().setType("VEC4").setArray(new Float32Array(12).fill(0.5));
  document.getRoot().listMeshes()[0]?.listPrimitives()[0]?.setAttribute("COLOR_0", colours);
  threeMfOf(document, coloured);
  expect([[...plain.keys()], [...coloured.keys()]]).toEqual([[], ["METADATA_DROPPED"]]);
});
