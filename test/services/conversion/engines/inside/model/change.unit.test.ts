import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeIO } from "@gltf-transform/core";
import { EXTMeshoptCompression } from "@gltf-transform/extensions";
import { MeshoptEncoder } from "meshoptimizer/encoder";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { changeModel } from "#services/conversion/engines/inside/model/change.ts";
import { glbOf } from "#services/conversion/engines/inside/model/glb-file.ts";
import { meshoptimizerEngine } from "#services/conversion/engines/models/meshoptimizer.ts";
import { modelOf } from "#test/contract/readers-model.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";
import { glb, obj, places, ply, stlBinary, stlText, triangles } from "./spheres.ts";

const convert = converterOf(meshoptimizerEngine, changeModel);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-models-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The model as another reader sees it. */
async function seen(bytes: Buffer, format: string) {
  const path = join(folder, `a.${format}`);
  await writeFile(path, bytes);
  return await modelOf(path, format);
}

const samples: readonly (readonly [name: string, format: string, content: Buffer])[] = [
  ["text STL", "stl", Buffer.from(stlText())],
  ["binary STL", "stl", stlBinary()],
  ["OBJ", "obj", Buffer.from(obj())],
  ["text PLY", "ply", ply("ascii")],
  ["PLY", "ply", ply("binary_little_endian")],
  ["GLB", "glb", glb()],
];

describe.each(samples)("a model as %s", (_name, format, content) => {
  it("is returned unchanged without options", async () => {
    const { bytes, codes } = await convert(content, format, format);
    expect(codes).toEqual(["SOURCE_KEPT"]);
    expect(bytes.equals(content)).toBe(true);
  });

  it("is simplified to a fifth of its faces, with about the same extent", async () => {
    const before = await seen(content, format);
    const { bytes, codes } = await convert(content, format, format, { simplify: 0.2 });
    const after = await seen(bytes, format);
    expect(codes).toEqual(["FACES_MERGED"]);
    expect(after.triangles).toBeLessThan(before.triangles * 0.23);
    expect(after.triangles).toBeGreaterThan(before.triangles * 0.15);
    after.size.forEach((edge, axis) => {
      expect(Math.abs(edge - (before.size[axis] ?? 0))).toBeLessThan(0.12);
    });
    expect(bytes.length).toBeLessThan(content.length * 0.35);
  });

  it("is scaled by 2.5, with all its faces", async () => {
    const before = await seen(content, format);
    const { bytes, codes } = await convert(content, format, format, { scale: 2.5 });
    const after = await seen(bytes, format);
    expect(codes).toEqual([]);
    expect(after.triangles).toBe(before.triangles);
    after.size.forEach((edge, axis) => {
      expect(edge).toBeCloseTo((before.size[axis] ?? 0) * 2.5, 5);
    });
  });

  it("is simplified and scaled at once", async () => {
    const { bytes } = await convert(content, format, format, { simplify: 0.2, scale: 10 });
    const after = await seen(bytes, format);
    expect(after.size[0]).toBeGreaterThan(18.5);
    expect(after.size[0]).toBeLessThan(20.01);
  });

  it("is refused if truncated", async () => {
    await expect(convert(content.subarray(0, content.length / 3), format, format, { simplify: 0.5 })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
  });
});

test("reads PLY whose header ends in another line end than its lines", async () => {
  const usual = ply("binary_little_endian");
  const odd = Buffer.from(usual.toString("latin1").replace("end_header\n", "end_header\r\n"), "latin1");
  const [made, wanted] = [await convert(odd, "ply", "ply", { scale: 2 }), await convert(usual, "ply", "ply", { scale: 2 })];
  expect(made.bytes.equals(wanted.bytes)).toBe(true);
});

test("calls a GLB in version 1 of glTF no damage", async () => {
  const old = Buffer.from(glb());
  old.writeUInt32LE(1, 4);
  await expect(convert(old, "glb", "glb")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
});

test("reads and writes big-endian PLY", async () => {
  const small = (await convert(ply("binary_big_endian"), "ply", "ply", { simplify: 0.2, scale: 2 })).bytes;
  const same = (await convert(ply("binary_little_endian"), "ply", "ply", { simplify: 0.2, scale: 2 })).bytes;
  const begin = small.indexOf("end_header\n") + 11;
  expect(small.toString("latin1", 0, begin).replace("big", "little")).toBe(same.toString("latin1", 0, same.indexOf("end_header\n") + 11));
  expect(small.readFloatBE(begin)).toBe(same.readFloatLE(same.indexOf("end_header\n") + 11));
});

test("keeps the names of the solids of an STL, each with fewer facets", async () => {
  const { text } = await convert(stlText("one") + stlText("the other"), "stl", "stl", { simplify: 0.5 });
  expect([...text.matchAll(/^(?:end)?solid .*$/gm)].map(([line]) => line)).toEqual([
    "solid one",
    "endsolid one",
    "solid the other",
    "endsolid the other",
  ]);
  const [one = "", other = ""] = text.split("endsolid one");
  expect(one.split("endfacet").length).toBe(other.split("endfacet").length);
});

test("keeps the colours of STL facets and PLY faces", async () => {
  const half = triangles.length / 2;
  const { bytes } = await convert(
    stlBinary((facet) => (facet < half ? 31 : 992)),
    "stl",
    "stl",
    { simplify: 0.4 },
  );
  const colours = Array.from({ length: bytes.readUInt32LE(80) }, (_, facet) => {
    const at = 84 + facet * 50;
    return {
      colour: bytes.readUInt16LE(at + 48),
      height: (bytes.readFloatLE(at + 20) + bytes.readFloatLE(at + 32) + bytes.readFloatLE(at + 44)) / 3,
    };
  });
  expect(colours.filter(({ colour, height }) => (height > 0 ? colour !== 31 : colour !== 992))).toEqual([]);
  const { text } = await convert(
    ply("ascii", (face) => (face < half ? 7 : 9)),
    "ply",
    "ply",
    { simplify: 0.4 },
  );
  expect(new Set([...text.matchAll(/^3 \d+ \d+ \d+ (\d+)$/gm)].map(([, tone]) => tone))).toEqual(new Set(["7", "9"]));
});

test("keeps materials, groups, normals and colours of an OBJ with their faces and vertices", async () => {
  const { text } = await convert(obj(), "obj", "obj", { simplify: 0.3 });
  expect(text.split("\n").filter((line) => /^[a-z#]/.test(line) && !/^(?:v|vn|f) /.test(line))).toEqual([
    "# by hand",
    "mtllib a.mtl",
    "o Quokka",
    "g north",
    "usemtl ice",
    "g south",
    "usemtl sea",
  ]);
  const corners = [...text.matchAll(/^v (.*)$/gm)].map(([, words = ""]) => words.split(" "));
  const normals = [...text.matchAll(/^vn (.*)$/gm)].map(([, words = ""]) => words.split(" "));
  const given = new Set(places.map((place) => place.join(" ")));
  expect(corners.every((words) => given.has(words.slice(0, 3).join(" ")) && words.slice(3).join(" ") === "1 0.5 0")).toBe(true);
  const faces = [...text.matchAll(/^f (.*)$/gm)].flatMap(([, words = ""]) => words.split(" ").map((word) => word.split("//").map(Number)));
  // On this sphere each normal equals its vertex.
  expect(faces.filter(([v = 0, n = 0]) => corners[v - 1]?.slice(0, 3).join() !== normals[n - 1]?.join())).toEqual([]);
});

test("keeps vertices of an OBJ that lines use, also by negative index", async () => {
  const lines = `${obj()}l 1 2 3\nl -1 -2\n`;
  const { text } = await convert(lines, "obj", "obj", { simplify: 0.3 });
  expect([...text.matchAll(/^v /gm)]).toHaveLength(places.length);
  expect(text).toMatch(/^l 1 2 3\nl -1 -2$/m);
});

test("keeps everything in a GLB besides its faces", async () => {
  const { bytes } = await convert(glb(), "glb", "glb", { simplify: 0.3, scale: 2 });
  const scene = JSON.parse(bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12)));
  expect(scene.asset.copyright).toBe("Quokka");
  expect(scene.materials).toEqual([expect.objectContaining({ name: "ice", extras: { melts: true } })]);
  expect(scene.cameras[0].perspective).toEqual({ yfov: 1, znear: 0.2, zfar: 200 });
  expect(scene.meshes).toHaveLength(1);
  expect(Object.keys(scene.meshes[0].primitives[0].attributes).toSorted()).toEqual(["NORMAL", "POSITION"]);
  expect(scene.nodes.map(({ name }: { name?: string }) => name)).toContain("here");
});

test("scales lights and transparent volumes of a GLB", async () => {
  const lights = [
    { type: "point", range: 4 },
    { type: "spot", intensity: 3 },
    { type: "directional", intensity: 5 },
  ];
  const extensions = { KHR_lights_punctual: { lights } };
  const materials = [{ extensions: { KHR_materials_volume: { thicknessFactor: 1, attenuationDistance: 0.5 } } }];
  const { bytes } = await convert(glb({ extensions, materials }), "glb", "glb", { scale: 2 });
  const scene = JSON.parse(bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12)));
  expect(scene.extensions.KHR_lights_punctual.lights).toEqual([
    { type: "point", intensity: 4, range: 8 },
    { type: "spot", intensity: 12 },
    { type: "directional", intensity: 5 },
  ]);
  expect(scene.materials).toEqual([{ extensions: { KHR_materials_volume: { thicknessFactor: 1, attenuationDistance: 1 } } }]);
});

test("refuses a GLB that requires an unknown extension, and notes one that only uses it", async () => {
  const used = { extensionsUsed: ["EXT_of_quokkas"] };
  await expect(convert(glb({ ...used, extensionsRequired: ["EXT_of_quokkas"] }), "glb", "glb", { simplify: 0.3 })).rejects.toMatchObject({
    code: "CONVERSION_FAILED",
  });
  const { notes } = await convert(glb(used), "glb", "glb", { simplify: 0.3 });
  expect(notes.get("METADATA_DROPPED")).toContain("EXT_of_quokkas");
  const scaled = await convert(glb({ ...used, extensions: { EXT_of_quokkas: { tail: 1 } } }), "glb", "glb", { scale: 2 });
  expect(scaled.codes).toEqual([]);
  expect(scaled.text).toContain('{"EXT_of_quokkas":{"tail":1}}');
});

test("refuses files that claim more than they hold", async () => {
  const stl = stlBinary();
  stl.writeUInt32LE(0xffff_fff0, 80);
  await expect(convert(stl, "stl", "stl")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  const vast = ply("binary_little_endian")
    .toString("latin1")
    .replace(/vertex \d+/, "vertex 4294967295");
  await expect(convert(Buffer.from(vast, "latin1"), "ply", "ply")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  const accessors = [{ componentType: 5126, count: 2 ** 40, type: "VEC3" }];
  await expect(convert(glb({ accessors }), "glb", "glb", { simplify: 0.5 })).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
  await expect(convert("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "obj", "obj")).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

test("refuses a scale that overflows, and scales decimals without binary rounding", async () => {
  const stl = stlBinary();
  stl.writeFloatLE(3e38, 96);
  await expect(convert(stl, "stl", "stl", { scale: 1000 })).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  const { text } = await convert("v 0.1 0 0 # a\nv 1 0 0\nv 0 1.10 0\nf 1 2 3\n", "obj", "obj", { scale: 3 });
  expect(text).toBe("v 0.3 0 0 # a\nv 3 0 0\nv 0 3.3 0\nf 1 2 3\n");
});

test("keeps faces that differ in colour from their neighbours, with a note", async () => {
  const { notes, text } = await convert(
    ply("ascii", (face) => face % 251),
    "ply",
    "ply",
    { simplify: 0.1, scale: 2 },
  );
  expect(Number(/element face (\d+)/.exec(text)?.[1])).toBeGreaterThan(triangles.length * 0.95);
  expect(notes.get("FACES_MERGED")).toMatch(/^2\d{3} of 2208 triangles were kept\. Fewer would/);
});

test("reads a GLB compressed with meshopt, and writes it uncompressed", async () => {
  await MeshoptEncoder.ready;
  const io = new NodeIO().registerExtensions([EXTMeshoptCompression]).registerDependencies({ "meshopt.encoder": MeshoptEncoder });
  const document = await io.readBinary(new Uint8Array(glb()));
  document
    .createExtension(EXTMeshoptCompression)
    .setRequired(true)
    .setEncoderOptions({ method: EXTMeshoptCompression.EncoderMethod.QUANTIZE });
  const packed = Buffer.from(await io.writeBinary(document));
  expect(packed.includes("EXT_meshopt_compression")).toBe(true);
  const before = await seen(glb(), "glb");
  const { bytes, codes } = await convert(packed, "glb", "glb", { simplify: 0.5 });
  expect(codes).toEqual(["FACES_MERGED"]);
  expect(bytes.includes("EXT_meshopt_compression")).toBe(false);
  const after = await seen(bytes, "glb");
  after.size.forEach((edge, axis) => {
    expect(edge).toBeCloseTo(before.size[axis] ?? 0, 1);
  });
});

test.each([
  ["a view", { count: 2 ** 24, byteStride: 64 }],
  ["a view without a count", { byteStride: 64 }],
])("bounds the decompressed size that %s claims", async (_what, meshopt) => {
  const scene = {
    asset: { version: "2.0" },
    extensionsUsed: ["EXT_meshopt_compression"],
    buffers: [{ byteLength: 4 }],
    bufferViews: [
      { buffer: 0, byteLength: 4, extensions: { EXT_meshopt_compression: { buffer: 0, byteLength: 4, mode: "ATTRIBUTES", ...meshopt } } },
    ],
    accessors: [{ count: 36, componentType: 5123, type: "SCALAR", bufferView: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
  };
  const packed = glbOf({ scene, binary: Buffer.alloc(4) });
  await expect(convert(packed, "glb", "glb", { simplify: 0.5 })).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
});
