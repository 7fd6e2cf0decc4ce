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

it("leaves out animations that the writer of COLLADA spoils, with a note", async () => {
  const { path, notes } = await bench.convert(await scene(), "gltf", "dae");
  expect(notes.get("METADATA_DROPPED")).toBe("Animations of one node were left out.");
  await expect(bench.convert(path, "dae", "obj")).resolves.toBeDefined();
});
