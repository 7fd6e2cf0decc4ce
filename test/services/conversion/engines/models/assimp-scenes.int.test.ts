/** Scenes of glTF whose colours and animations assimp reads or writes wrong. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { assimpEngine } from "#services/conversion/engines/models/assimp.ts";
import { useBench } from "#test/contract/engine.ts";

const bench = useBench(assimpEngine);

/** A moving, half-transparent triangle with colours, beside a plain one. */
async function scene(): Promise<string> {
  const floats = (...numbers: readonly number[]) => Buffer.from(Float32Array.from(numbers).buffer);
  const parts = [floats(0, 0, 0, 2, 0, 0, 0, 3, 0), floats(1, 0, 0, 0, 1, 0, 0, 0, 1), floats(0, 1), floats(0, 0, 0, 5, 0, 0)];
  const starts = parts.map((_, place) => parts.slice(0, place).reduce((sum, { length }) => sum + length, 0));
  const accessor = (type: string, count: number, bufferView: number, more = {}) => ({
    bufferView,
    componentType: 5126,
    count,
    type,
    ...more,
  });
  const primitive = { attributes: { POSITION: 0, COLOR_0: 1 }, material: 0 };
  const channel = { sampler: 0, target: { node: 0, path: "translation" } };
  const model = {
    ...{ asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0, name: "Kite" }] },
    meshes: [{ primitives: [primitive, { attributes: { POSITION: 0 } }] }],
    materials: [{ alphaMode: "BLEND", pbrMetallicRoughness: { baseColorFactor: [1, 0.5, 0.25, 0.36] } }],
    animations: [{ channels: [channel], samplers: [{ input: 2, output: 3 }] }],
    accessors: [
      accessor("VEC3", 3, 0, { min: [0, 0, 0], max: [2, 3, 0] }),
      accessor("VEC3", 3, 1),
      accessor("SCALAR", 2, 2, { min: [0], max: [1] }),
      accessor("VEC3", 2, 3),
    ],
    bufferViews: parts.map(({ length }, place) => ({ buffer: 0, byteOffset: starts[place], byteLength: length })),
    buffers: [
      { byteLength: Buffer.concat(parts).length, uri: `data:application/octet-stream;base64,${Buffer.concat(parts).toString("base64")}` },
    ],
  };
  const path = join(bench.folder, "kite.gltf");
  await writeFile(path, JSON.stringify(model));
  return path;
}

it("keeps the opacity of a material of glTF", async () => {
  const glb = await readFile((await bench.convert(await scene(), "gltf", "glb")).path);
  const { materials } = JSON.parse(glb.toString("utf8", 20, 20 + glb.readUInt32LE(12)));
  expect(materials[0].pbrMetallicRoughness.baseColorFactor[3]).toBeCloseTo(0.36, 6);
});

it("makes vertices without a colour white in a PLY with coloured ones", async () => {
  const { path } = await bench.convert(await scene(), "gltf", "ply");
  const [, body = ""] = (await readFile(path, "utf8")).split("end_header\n");
  expect(
    body
      .split("\n")
      .slice(0, 6)
      .map((line) => line.split(" ").slice(3).join(" ")),
  ).toEqual([...["255 0 0 255", "0 255 0 255", "0 0 255 255"], ...Array.from({ length: 3 }, () => "255 255 255 255")]);
});

it("writes OBJ of glTF with white where a shape has no colours beside a coloured one, and with normals of length 1", async () => {
  const scaled = JSON.parse(await readFile(await scene(), "utf8"));
  const path = join(bench.folder, "scaled.gltf");
  await writeFile(path, JSON.stringify({ ...scaled, nodes: [{ mesh: 0, scale: [2, 3, 4] }], animations: [] }));
  const made = await readFile((await bench.convert(path, "gltf", "obj")).path, "utf8");
  const numbers = (kind: string) =>
    made.split("\n").flatMap((line) => (line.startsWith(`${kind} `) ? [line.split(" ").slice(1).map(Number)] : []));
  const colours = numbers("v").map((row) => row.slice(3).join(" "));
  expect([...new Set(colours)].toSorted()).toEqual(["0 0 1", "0 1 0", "1 0 0", "1 1 1"]);
  for (const normal of numbers("vn")) expect(Math.hypot(...normal)).toBeCloseTo(1, 6);
});

const rows = (opacity: number) => ["0 0 0 200 10 30 255", "1 0 0 10 220 30 255", `0 1 0 10 20 240 ${opacity}`];
const head = [..."xyz"].map((axis) => `property float ${axis}`);
const paint = ["red", "green", "blue", "alpha"].map((name) => `property uchar ${name}`);
it.each([
  ["obj", 100, ["The opacity of vertices was left out."]],
  ["dae", 100, ["The opacity of vertices was left out."]],
  ["obj", 255, []],
  ["glb", 100, []],
])("names the opacity of vertices that %s does not hold (%i)", async (to, opacity, wanted) => {
  const path = join(bench.folder, "glass.ply");
  const lines = [
    "ply",
    "format ascii 1.0",
    "element vertex 3",
    ...head,
    ...paint,
    "element face 1",
    "property list uchar int vertex_indices",
  ];
  await writeFile(path, `${[...lines, "end_header", ...rows(opacity), "3 0 1 2"].join("\n")}\n`);
  expect([...(await bench.convert(path, "ply", to)).notes.values()]).toEqual(wanted);
});

it("says nothing of joined colours when only normals get a length of 1", async () => {
  const path = join(bench.folder, "normals.ply");
  const floats = [..."xyz", "nx", "ny", "nz"].map((name) => `property float ${name}`);
  const corners = ["0 0 0", "1 0 0", "0 1 0"].map((place) => `${place} 0.3 0.4 0.8 10 20 37`);
  const lines = ["ply", "format ascii 1.0", "element vertex 3", ...floats, ...paint.slice(0, 3), "element face 1"];
  await writeFile(path, `${[...lines, "property list uchar int vertex_indices", "end_header", ...corners, "3 0 1 2"].join("\n")}\n`);
  expect([...(await bench.convert(path, "ply", "glb")).notes.values()]).toEqual([]);
});

it.each([
  ["0 1 0", ["Where faces of different colours meet, their corners got one colour."]],
  ["1 0 0", []],
])("names corners of faces of different colours that the writer of GLB joins (%s)", async (other, wanted) => {
  const path = join(bench.folder, "meeting.obj");
  const corner = (place: string, colour: string) => `v ${place} 0 ${colour}\n`;
  const corners = [
    ...["0 0", "1 0", "0 1"].map((place) => corner(place, "1 0 0")),
    ...["1 0", "1 1", "0 1"].map((place) => corner(place, other)),
  ];
  await writeFile(path, `${corners.join("")}f 1 2 3\nf 4 5 6\n`);
  expect([...(await bench.convert(path, "obj", "glb")).notes.values()]).toEqual(wanted);
});

/** Two facets that meet, red and green, and one that may have the colour of the whole. */
async function colouredStl(isMagics: boolean): Promise<string> {
  const head = Buffer.alloc(84, " ");
  if (isMagics) head.write("COLOR=\x40\x80\xc0\x80", "latin1");
  head.writeUInt32LE(3, 80);
  const corners = [
    [0, 0, 0, 1, 0, 0, 0, 1, 0],
    [1, 0, 0, 1, 1, 0, 0, 1, 0],
    [5, 0, 0, 6, 0, 0, 5, 1, 0],
  ];
  const facets = corners.map((numbers, place) => {
    const facet = Buffer.alloc(50);
    Buffer.from(Float32Array.from([0, 0, 1, ...numbers]).buffer).copy(facet);
    facet.writeUInt16LE((isMagics ? [31, 31 << 5, 0x8000] : [0x8000 | (31 << 10), 0x8000 | (31 << 5), 0])[place] ?? 0, 48);
    return facet;
  });
  const path = join(bench.folder, `coloured-${isMagics}.stl`);
  await writeFile(path, Buffer.concat([head, ...facets]));
  return path;
}

it.each([
  [true, [0.0513, 0.2159, 0.5271, 0.502]],
  [false, [1, 1, 1, 1]],
])("keeps colours of facets of STL in GLB, where they meet as well (as Magics writes them: %s)", async (isMagics, whole) => {
  const made = await bench.convert(await colouredStl(isMagics), "stl", "glb");
  const glb = await readFile(made.path);
  const { meshes, materials } = JSON.parse(glb.toString("utf8", 20, 20 + glb.readUInt32LE(12)));
  const primitives: readonly { material: number }[] = meshes.flatMap((mesh: { primitives: object[] }) => mesh.primitives);
  const colours = primitives.map(({ material }) => materials[material].pbrMetallicRoughness.baseColorFactor ?? [1, 1, 1, 1]);
  const wanted = [[1, 0, 0, 1], [0, 1, 0, 1], whole];
  for (const [place, colour] of wanted.entries())
    for (const [channel, value] of colour.entries()) expect(colours[place][channel]).toBeCloseTo(value, 2);
  expect([...made.notes]).toEqual([]);
});

it("keeps the colours that Magics gives facets of STL in PLY, and names their opacity in OBJ", async () => {
  const stl = await colouredStl(true);
  const [, body = ""] = (await readFile((await bench.convert(stl, "stl", "ply")).path, "latin1")).split("end_header\n");
  const colours = body
    .split("\n")
    .slice(0, 9)
    .map((line) => line.trim().split(" ").slice(-4).join(" "));
  expect([...new Set(colours)]).toEqual(["255 0 0 255", "0 255 0 255", "64 128 192 128"]);
  expect([...(await bench.convert(stl, "stl", "obj")).notes.values()]).toEqual(["The opacity of vertices was left out."]);
  expect([...(await bench.convert(await colouredStl(false), "stl", "obj")).notes]).toEqual([]);
  expect([...(await bench.convert(stl, "stl", "step")).notes.values()]).toEqual(["Colours of faces were left out."]);
});

it("leaves out animations that the writer of COLLADA spoils, with a note", async () => {
  const { path, notes } = await bench.convert(await scene(), "gltf", "dae");
  expect(notes.get("METADATA_DROPPED")).toBe("Animations of one node were left out.");
  await expect(bench.convert(path, "dae", "obj")).resolves.toBeDefined();
});
