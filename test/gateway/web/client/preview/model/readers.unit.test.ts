/** How the pages parse and draw 3D models. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { meshOfGltf } from "#client/preview/model/gltf.ts";
import type { Mesh } from "#client/preview/model/mesh.ts";
import { meshOfObj } from "#client/preview/model/obj.ts";
import { drawMesh, type Raster, reachOf, type Size, type Turn } from "#client/preview/model/raster.ts";
import type { Steps } from "#client/preview/model/steps.ts";
import { meshOfStl } from "#client/preview/model/stl.ts";

const bytesOf = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer;

/** Runs all steps at once. */
function whole<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

async function sample(name: string): Promise<ArrayBuffer> {
  return Uint8Array.from(await readFile(`test/corpus/typical/model/${name}`)).buffer;
}

const rasterOf = ({ width, height }: Size): Raster => ({ width, height, data: new Uint8ClampedArray(width * height * 4) });

function drawn(mesh: Mesh, turn: Turn) {
  const size = { width: 90, height: 60 };
  const raster = whole(drawMesh(mesh, reachOf(mesh), turn, size, rasterOf));
  const at = (x: number, y: number) => [...raster.data.subarray((y * 90 + x) * 4, (y * 90 + x) * 4 + 4)];
  const filled = Array.from({ length: 90 * 60 }, (_, pixel) => raster.data[pixel * 4 + 3]).filter((alpha) => alpha === 255).length;
  return { at, filled };
}

test.each([
  ["typical.stl", meshOfStl],
  ["typical.obj", meshOfObj],
  ["typical.gltf", meshOfGltf],
  ["typical.glb", meshOfGltf],
] as const)("%s is a cube of twelve triangles with an edge length of one", async (name, read) => {
  const mesh = whole<Mesh>(read(await sample(name)));
  expect(mesh.places.length / 9).toBe(12);
  expect(reachOf(mesh).radius).toBeCloseTo(Math.sqrt(3) / 2);
  // A square from the front, a wider shape from the corner; never the full canvas, never nothing.
  const [front, corner] = [drawn(mesh, { yaw: 0, tilt: 0 }), drawn(mesh, { yaw: Math.PI / 4, tilt: 0.6 })];
  expect(front.filled).toBeGreaterThan(900);
  expect(corner.filled).toBeGreaterThan(1.2 * front.filled);
  expect(corner.filled).toBeLessThan(4000);
  expect(front.at(45, 30)[3]).toBe(255);
  expect(front.at(1, 1)).toEqual([0, 0, 0, 0]);
});

test("a binary STL is read by its triangle count, whatever its header says", async () => {
  const bytes = new ArrayBuffer(84 + 50);
  const view = new DataView(bytes);
  new Uint8Array(bytes).set(new TextEncoder().encode("solid block"));
  view.setUint32(80, 1, true);
  for (const [n, value] of [0, 0, 0, 2, 0, 0, 0, 0, 3].entries()) view.setFloat32(84 + 12 + n * 4, value, true);
  // Its z axis points up.
  expect(whole(meshOfStl(bytes)).places).toEqual([0, 0, -0, 2, 0, -0, 0, 3, -0]);
});

test("an OBJ may have faces of more than three corners, and negative indices", () => {
  const square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
  const forwards = whole(meshOfObj(bytesOf(`${square}f 1/1/1 2/2/2 3/3/3 4/4/4\n`)));
  expect(forwards.places).toEqual([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0]);
  expect(whole(meshOfObj(bytesOf(`${square}f -4 -3 -2 -1\r\n`))).places).toEqual(forwards.places);
});

test("nearer faces hide farther ones and keep their own colour", () => {
  const wall = (z: number) => [-1, -1, z, 1, -1, z, 0, 1, z];
  const mesh = { places: [...wall(1), ...wall(-1)], colours: [1, 0, 0, 0, 0, 1] };
  const [front, back] = [drawn(mesh, { yaw: 0, tilt: 0 }), drawn(mesh, { yaw: Math.PI, tilt: 0 })];
  expect(front.at(45, 32)[0]).toBeGreaterThan(80);
  expect(front.at(45, 32)[2]).toBe(0);
  expect(back.at(45, 32)[2]).toBeGreaterThan(80);
  expect(back.at(45, 32)[0]).toBe(0);
});

type Scene = { readonly [part: string]: unknown };
const triangle = Buffer.from(Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer).toString("base64");
const scene = (changed: Scene): ArrayBuffer =>
  bytesOf(
    JSON.stringify({
      buffers: [{ uri: `data:application/octet-stream;base64,${triangle}`, byteLength: 36 }],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3" }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
      materials: [{ pbrMetallicRoughness: { baseColorFactor: [1, 0.25, 0, 1] } }],
      nodes: [{ mesh: 0 }],
      scenes: [{ nodes: [0] }],
      ...changed,
    }),
  );

test("a glTF mesh is placed by its nodes' transforms and has its material's colour", () => {
  // Rotated by 90 degrees around z, scaled by two and moved; then moved again by the parent node.
  const quarter = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
  const nodes = [
    { children: [1], translation: [10, 0, 0] },
    { mesh: 0, rotation: quarter, scale: [2, 2, 2], translation: [0, 5, 0] },
  ];
  const mesh = whole(meshOfGltf(scene({ nodes })));
  expect(mesh.places.map((value) => Math.round(value * 1000) / 1000 + 0)).toEqual([10, 5, 0, 10, 7, 0, 8, 5, 0]);
  expect(mesh.colours).toEqual([1, expect.closeTo(0.533, 3), 0]);
});

test.each([
  ["an external buffer", { buffers: [{ uri: "https://evil.example/x.bin", byteLength: 36 }] }],
  ["an accessor past the end of its buffer", { accessors: [{ bufferView: 0, componentType: 5126, count: 4, type: "VEC3" }] }],
  [
    "an endless accessor",
    { bufferViews: [{ buffer: 0, byteLength: 36, byteStride: 0 }], accessors: [{ bufferView: 0, componentType: 5126, count: 1e15 }] },
  ],
  ["a count that is not a number", { accessors: [{ bufferView: 0, componentType: 5126, count: "many" }] }],
  ["a negative count", { accessors: [{ bufferView: 0, componentType: 5126, count: -1e15, type: "VEC3" }] }],
  ["compressed accessors", { accessors: [{ componentType: 5126, count: 3, type: "VEC3" }] }],
  ["nodes nested in themselves", { nodes: [{ mesh: 0, children: [0, 0] }] }],
  ["many nodes that share many children", { nodes: Array(2000).fill({ children: Array.from({ length: 2000 }, (_, n) => n) }) }],
  [
    "many parts in each of several nodes",
    { meshes: [{ primitives: Array(30_000).fill({ attributes: {} }) }], nodes: [{ mesh: 0 }, { mesh: 0 }], scenes: [{ nodes: [0, 1] }] },
  ],
] as const)("rejects %s quickly", (_what, changed) => {
  const startedMs = Date.now();
  expect(() => whole(meshOfGltf(scene(changed)))).toThrow();
  expect(Date.now() - startedMs).toBeLessThan(20_000);
});

test("skips triangles with an invalid corner", () => {
  const mesh = whole(meshOfObj(bytesOf("v 0 0 0\nv 1 0 0\nv nan 1 0\nv 0 1 0\nf 1 2 3\nf 1 2 9\nf 1 2 4\n")));
  expect(mesh.places).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0]);
  expect(whole(meshOfStl(bytesOf("nothing of a model"))).places).toEqual([]);
});

/** The given number of triangles, each as large as the canvas. */
function layers(count: number): Mesh {
  const corners = (z: number) => [-1, -1, z, 1, -1, z, 0, 1, z];
  const all = Array.from({ length: count }, (_, n) => corners(n / count));
  return { places: all.flat(), colours: all.flatMap(() => [1, 1, 1]) };
}
const shownSize: Size = { width: 960, height: 720 };
const front: Turn = { yaw: 0, tilt: 0 };

test("overlapping triangles are quickly drawn at a lower resolution", () => {
  const mesh = layers(400);
  const startedMs = Date.now();
  const raster = whole(drawMesh(mesh, reachOf(mesh), front, shownSize, rasterOf));
  expect(Date.now() - startedMs).toBeLessThan(20_000);
  expect([raster.width, raster.height]).toEqual([480, 360]);
  expect(raster.data[(180 * 480 + 240) * 4 + 3]).toBe(255);
});

test("400,000 canvas-sized triangles are rejected before any is drawn", () => {
  const mesh = layers(400_000);
  const startedMs = Date.now();
  expect(() => whole(drawMesh(mesh, reachOf(mesh), front, shownSize, rasterOf))).toThrow(RangeError);
  expect(Date.now() - startedMs).toBeLessThan(20_000);
});

test("no single step of parsing or drawing blocks the page", async () => {
  const mesh = layers(300);
  const text = Array.from({ length: 100_000 }, (_, n) => `v ${n} ${n} 0\nf -1 -2 -3`).join("\n");
  const open: readonly Steps<unknown>[] = [drawMesh(mesh, reachOf(mesh), front, shownSize, rasterOf), meshOfObj(bytesOf(text))];
  for (const steps of open) {
    const took: number[] = [];
    for (let isDone = false; !isDone; ) {
      const startedMs = performance.now();
      isDone = steps.next().done === true;
      took.push(performance.now() - startedMs);
    }
    expect(took.length).toBeGreaterThan(50);
    // The median, since a busy machine may pause any process.
    expect(took.sort((a, b) => a - b)[Math.floor(took.length / 2)]).toBeLessThan(100);
  }
});
