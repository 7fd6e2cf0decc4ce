import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { assimpEngine } from "#services/conversion/engines/models/assimp.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { modelOf } from "#test/contract/readers-model.ts";
import { glb } from "#test/services/conversion/engines/inside/model/spheres.ts";

const corpus = join(import.meta.dirname, "../../../../corpus/model");
const given = new Map(readdirSync(corpus).map((name) => [name.replace(/\..*$/, ""), join(corpus, name)]));

/** A box of 1 by 2 by 3 in twelve triangles. */
const corners = [0, 1].flatMap((x) => [0, 2].flatMap((y) => [0, 3].map((z) => [x, y, z])));
const quads = [
  [1, 2, 4, 3],
  [5, 7, 8, 6],
  [1, 5, 6, 2],
  [3, 4, 8, 7],
  [1, 3, 7, 5],
  [2, 6, 8, 4],
];
const triangles = quads.flatMap(([a, b, c, d]) => [
  [a, b, c],
  [a, c, d],
]);
const written: Readonly<Record<string, string>> = {
  obj: `${corners.map((corner) => `v ${corner.join(" ")}\n`).join("")}${triangles.map((face) => `f ${face.join(" ")}\n`).join("")}`,
  off: `OFF\n8 12 0\n${corners.map((corner) => `${corner.join(" ")}\n`).join("")}${triangles.map((face) => `3 ${face.map((index) => (index ?? 0) - 1).join(" ")}\n`).join("")}`,
  ac: `AC3Db\nMATERIAL "" rgb 1 1 1  amb 0.2 0.2 0.2  emis 0 0 0  spec 0 0 0  shi 0  trans 0\nOBJECT world\nkids 1\nOBJECT poly\nname "box"\nnumvert 8\n${corners.map((corner) => `${corner.join(" ")}\n`).join("")}numsurf 12\n${triangles.map((face) => `SURF 0x0\nmat 0\nrefs 3\n${face.map((index) => `${(index ?? 0) - 1} 0 0\n`).join("")}`).join("")}kids 0\n`,
};

const bench = useBench(assimpEngine);

async function sample(format: string, folder: string): Promise<string> {
  const known = given.get(format);
  if (known !== undefined) return known;
  const path = join(folder, `sample.${format}`);
  const text = written[format];
  if (text === undefined) return (await bench.convert(await sample("obj", folder), "obj", format)).path;
  await writeFile(path, text);
  return path;
}

// Every reader and every writer; the proof covers all pairs.
const hops = assimpEngine.hops.filter(({ from, to }) => from === "obj" || to === "glb");

testEngine(
  { ...assimpEngine, hops },
  {
    sample,
    async check({ from, to }, _reading, path) {
      const model = await modelOf(path, to);
      if (given.has(from)) return;
      expect(model.triangles).toBe(to === "step" ? model.triangles : 12);
      model.size.forEach((edge, axis) => {
        expect(edge).toBeCloseTo(axis + 1, 4);
      });
    },
  },
);

describe("engine assimp, in detail", () => {
  it("reads all triangles of models that other programs wrote", async () => {
    for (const [format, wanted] of [
      ["md5mesh", 12],
      ["xgl", 24],
      ["lwo", 12],
    ] as const) {
      const { path } = await bench.convert(await sample(format, bench.folder), format, "obj");
      expect((await modelOf(path, "obj")).triangles, format).toBe(wanted);
    }
  });

  it("writes text STL on request", async () => {
    const { path } = await bench.convert(await sample("obj", bench.folder), "obj", "stl", { form: "text" });
    expect(await readFile(path, "utf8")).toMatch(/^solid/);
    expect((await modelOf(path, "stl")).triangles).toBe(12);
  });

  it("writes a shape that is placed twice into STEP twice", async () => {
    const scene = join(import.meta.dirname, "../../../../corpus/typical/model/typical.ogex");
    const { path } = await bench.convert(scene, "ogex", "glb");
    const step = await readFile((await bench.convert(path, "glb", "step")).path, "latin1");
    const places = [...step.matchAll(/CARTESIAN_POINT\('[^']*',\(([-\d.E+]+),/g)].map(([, x]) => Number(x));
    expect(Math.min(...places)).toBeCloseTo(-52.5, 1);
    expect(Math.max(...places)).toBeCloseTo(184.1, 1);
  });

  // The library's binary form declares colours as bytes but writes them four times as long.
  it("writes coloured PLY that matches its header", async () => {
    const path = join(bench.folder, "coloured.obj");
    await writeFile(path, (written["obj"] ?? "").replaceAll(/^v .*$/gm, "$& 1 0.5 0"));
    const made = await bench.convert(path, "obj", "ply");
    expect(await readFile(made.path, "latin1")).toContain("property uchar red");
    expect((await modelOf(made.path, "ply")).size).toEqual([1, 2, 3]);
  });

  it("writes colours of OFF as they are, whether they are bytes or fractions, and names those that are left out", async () => {
    const off = async (name: string, text: string, to: string) => {
      const path = join(bench.folder, `${name}.off`);
      await writeFile(path, text);
      const made = await bench.convert(path, "off", to, to === "ply" ? { form: "text" } : {});
      return { rows: (await readFile(made.path, "latin1")).split("end_header\n")[1]?.split("\n"), notes: [...made.notes.keys()] };
    };
    const triangle = (head: string, colours: readonly string[], face = "") =>
      `${head}\n# made by hand\n3 1 0\n0 0 0 ${colours[0]}\n1 0 0 ${colours[1]}\n0 1 0 ${colours[2]}\n3 0 1 2 ${face}\n`;
    const wanted = ["0 0 0 255 128 3 255", "1 0 0 1 77 200 255", "0 1 0 0 0 255 128", "3 0 1 2", ""];
    const bytes = triangle("COFF", ["255 128 3 255", "1 77 200 255", "0 0 255 128"]);
    expect(await off("bytes", bytes, "ply")).toEqual({ rows: wanted, notes: [] });
    const fractions = ["1 0.501961 0.0117648 1", "0.00392158 0.301961 0.784314 1", "0 0 1 0.501961"];
    expect(await off("fractions", triangle("COFF", fractions, "255 0 0"), "ply")).toEqual({ rows: wanted, notes: ["METADATA_DROPPED"] });
    expect((await off("none", triangle("OFF", ["", "", ""]), "glb")).notes).toEqual([]);
    expect((await off("faces", triangle("OFF", ["", "", ""], "1 0 0"), "glb")).notes).toEqual(["METADATA_DROPPED"]);
    expect((await off("unannounced", triangle("OFF", ["255 0 0", "255 0 0", "255 0 0"]), "glb")).notes).toEqual(["METADATA_DROPPED"]);
    expect((await off("colourless", bytes, "stl")).notes).toEqual(["METADATA_DROPPED"]);
  });

  it("leaves lines and points out of STL, with a note", async () => {
    const path = join(bench.folder, "loose.obj");
    await writeFile(path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\np 3\n");
    const made = await bench.convert(path, "obj", "stl");
    expect((await readFile(made.path, "utf8")).match(/vertex/g)).toHaveLength(3);
    expect([...made.notes.keys()]).toEqual(["ENTRIES_LEFT_OUT"]);
  });

  it.each([
    [500_000, ["NUMBERS_ROUNDED"]],
    [10, []],
  ])("notes rounded coordinates only far from the origin (%i)", async (far, codes) => {
    const path = join(bench.folder, `far-${far}.obj`);
    await writeFile(path, `v ${far}.01 0 0\nv ${far}.93 0 0\nv ${far}.02 0.5 0\nf 1 2 3\n`);
    expect([...(await bench.convert(path, "obj", "glb")).notes.keys()]).toEqual(codes);
  });

  const triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const lit = (written["ac"] ?? "")
    .replace("kids 1\n", 'kids 2\nOBJECT light\nname "l"\nloc 1 1 1\nkids 0\n')
    .replace('"box"\n', '"box"\ntexture "wood.png"\n');
  const ply = (faces: number) =>
    `ply\nformat ascii 1.0\nelement vertex 3\n${[..."xyz"].map((axis) => `property float ${axis}\n`).join("")}property uchar red\n` +
    `property float quality\nelement face ${faces}\nproperty list uchar int vertex_indices\nproperty uchar red\nend_header\n` +
    `0 0 0 9 1\n1 0 0 9 1\n0 1 0 9 1\n${"3 0 1 2 9\n".repeat(faces)}`;
  it.each([
    ["ply", "glb", ply(1), { METADATA_DROPPED: "Left out: quality of each vertex; red of each face." }],
    ["ply", "stl", ply(1), { METADATA_DROPPED: "Left out: red, quality of each vertex; red of each face." }],
    ["obj", "stl", triangle.replace("0 0 0", "0 0 0 1 0 0"), { METADATA_DROPPED: "Colours of vertices were left out." }],
    ["obj", "glb", triangle.replace("0 0 0", "0 0 0 1 0 0"), {}],
    [
      ...(["obj", "stl", `vt 0 0\nvn 0 0 1\n${triangle}`] as const),
      { METADATA_DROPPED: "Left out: texture coordinates, normals of vertices." },
    ],
    [
      ...(["obj", "ply", `o Haus\n${triangle}o Baum\nf 1 3 2\n`] as const),
      { METADATA_DROPPED: "2 shapes were joined into one. Names of shapes were left out: Haus, Baum." },
    ],
    [
      ...(["glb", "dae", glb({ materials: [{ pbrMetallicRoughness: { roughnessFactor: 0.3 } }] })] as const),
      { METADATA_DROPPED: "Metalness and roughness of materials were left out." },
    ],
    [
      ...(["obj", "glb", `mtllib a b.mtl\nusemtl red\n${triangle}`] as const),
      { EXTERNAL_CONTENT_BLOCKED: "Materials and textures in other files were not read: a b.mtl." },
    ],
    [
      ...(["ac", "glb", lit] as const),
      {
        METADATA_DROPPED: "Left out: lights.",
        EXTERNAL_CONTENT_BLOCKED: "Textures in other files were not included: wood.png.",
      },
    ],
    [
      ...(["glb", "dae", glb({ nodes: [{ mesh: 0, extras: { list: [1, 2] } }], scenes: [{ nodes: [0] }] })] as const),
      {
        METADATA_DROPPED: "Lights, and lists among the custom properties of nodes, were left out.",
      },
    ],
  ])("names what %s > %s does not read, or what the format does not hold (%#)", async (from, to, content, notes) => {
    const path = join(bench.folder, `unread.${from}`);
    await writeFile(path, content);
    expect(Object.fromEntries((await bench.convert(path, from, to)).notes)).toEqual(notes);
  });

  it.each([
    ["ply", ply(0)],
    ["obj", "# points\nv 0 0 0\nv 1 0 0\nv 0 1 0\n"],
  ])("calls a cloud of points no damage: %s", async (from, content) => {
    const path = join(bench.folder, `cloud.${from}`);
    await writeFile(path, content);
    await expect(bench.convert(path, from, "glb")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  });

  it("refuses a PLY that is cut off, of whose missing faces the library made some", async () => {
    const path = join(bench.folder, "cut.ply");
    await writeFile(path, ply(2).slice(0, -"3 0 1 2 9\n".length));
    const message = "The model is cut off: it has 4 of 5 lines.";
    await expect(bench.convert(path, "ply", "glb")).rejects.toMatchObject({ code: "INVALID_INPUT", message });
  });

  it("reads a GLB whose JSON has a length that is no multiple of four", async () => {
    const whole = glb();
    const [size, path] = [whole.readUInt32LE(12), join(bench.folder, "odd.glb")];
    const odd = Buffer.concat([whole.subarray(0, 20 + size), Buffer.from(" "), whole.subarray(20 + size)]);
    odd.writeUInt32LE(odd.length, 8);
    odd.writeUInt32LE(size + 1, 12);
    await writeFile(path, odd);
    for (const to of ["stl", "fbx"]) expect((await stat((await bench.convert(path, "glb", to)).path)).size).toBeGreaterThan(10_000);
    await writeFile(path, odd.fill(0, 30, 90));
    await expect(bench.convert(path, "glb", "stl")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  // Lists of nodes had no end, so no program opened the file.
  it("writes binary FBX that its own reader opens", async () => {
    const { path } = await bench.convert(await sample("obj", bench.folder), "obj", "fbx");
    expect((await promisify(execFile)("assimp", ["info", path])).stdout).toMatch(/Faces:\s+12/);
    expect([...(await bench.convert(path, "fbx", "glb")).notes]).toEqual([]);
  });

  it("notes the unit of FBX that glTF does not have", async () => {
    const { path } = await bench.convert(await sample("obj", bench.folder), "obj", "fbx", { form: "text" });
    await writeFile(path, (await readFile(path, "latin1")).replace(/("UnitScaleFactor".*) 100/, "$1 2.54"));
    const note = "The unit of 2.54 cm was left out; lengths of the result count as metres.";
    expect([...(await bench.convert(path, "fbx", "glb")).notes]).toEqual([["METADATA_DROPPED", note]]);
  });

  // Shapes were moved and turned in 3DS, and FBX lacked the placement of the outermost node.
  it.each([["3ds"], ["fbx"], ["dae", "fbx"]])("writes every shape at its place in %s %s", async (...formats) => {
    const outer = { children: [1, 2], scale: [3, 1, 1], rotation: [0.5, 0.5, 0.5, 0.5] };
    let [from, path] = ["glb", join(bench.folder, "moved.glb")];
    await writeFile(path, glb({ nodes: [outer, { mesh: 0, translation: [5, 0, 0] }, { mesh: 0 }], scenes: [{ nodes: [0] }] }));
    const wanted = await modelOf((await bench.convert(path, "glb", "stl")).path, "stl");
    for (const to of [...formats, "stl"]) [from, path] = [to, (await bench.convert(path, from, to)).path];
    const { size } = await modelOf(path, "stl");
    for (const [axis, edge] of wanted.size.entries()) expect(size[axis]).toBeCloseTo(edge, 4);
  });

  it("merges equal vertices on request", async () => {
    const stl = (await bench.convert(await sample("obj", bench.folder), "obj", "stl")).path;
    const cornersOf = async (simplify: boolean) => {
      const { path } = await bench.convert(stl, "stl", "obj", { simplify });
      return [...(await readFile(path, "utf8")).matchAll(/^v\s/gm)].length;
    };
    expect(await cornersOf(true)).toBeLessThanOrEqual(await cornersOf(false));
  });

  it("writes glTF as a single file", async () => {
    const { path } = await bench.convert(await sample("obj", bench.folder), "obj", "gltf");
    const scene = JSON.parse(await readFile(path, "utf8"));
    expect(scene.buffers.map(({ uri }: { uri: string }) => uri.slice(0, 5))).toEqual(["data:"]);
  });

  it.each([
    [{ extensions: { EXT_meshopt_compression: { fallback: true } } }, "CONVERSION_FAILED", "meshopt"],
    [{ uri: "box.bin" }, "INVALID_INPUT", "box.bin"],
  ])("reports compression and data in another file, not damage (%#)", async (kind, code, said) => {
    const path = join(bench.folder, "packed.gltf");
    const scene = {
      asset: { version: "2.0" },
      buffers: [{ byteLength: 96, ...kind }],
      bufferViews: [{ buffer: 0, byteLength: 96 }],
      accessors: [{ bufferView: 0, componentType: 5126, count: 8, type: "VEC3" }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      nodes: [{ mesh: 0 }],
      ...{ scenes: [{ nodes: [0] }], scene: 0 },
      extensionsUsed: [...("uri" in kind ? [] : ["EXT_meshopt_compression"])],
    };
    await writeFile(path, JSON.stringify(scene));
    const failing = bench.convert(path, "gltf", "obj");
    await expect(failing).rejects.toMatchObject({ code, message: expect.stringContaining(said) });
  });
});
