/** Simplified and scaled models, made in the sandbox and read by Assimp. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { meshoptimizerEngine } from "#services/conversion/engines/models/meshoptimizer.ts";
import { openBench } from "#test/contract/engine.ts";
import { glb, obj, ply, stlBinary } from "#test/services/conversion/engines/inside/model/spheres.ts";

const run = promisify(execFile);

/** The extent is computed from all placed shapes: Assimp's scene data ignores scales in parent nodes. */
async function about(path: string) {
  const { stdout } = await run("assimp", ["info", path]);
  const placed = `${path}.placed.stl`;
  await run("assimp", ["export", path, placed, "-fstlb", "-ptv"]);
  const { stdout: places } = await run("assimp", ["info", placed]);
  const corner = (name: string) => new RegExp(`${name} point\\s+\\(([^)]+)\\)`).exec(places)?.[1]?.split(" ").map(Number) ?? [];
  const least = corner("Minimum");
  const size = corner("Maximum").map((edge, axis) => edge - (least[axis] ?? 0));
  return { faces: Number(/Faces:\s+(\d+)/.exec(stdout)?.[1]), size, meshes: Number(/Meshes:\s+(\d+)/.exec(stdout)?.[1]) };
}

test("halves the faces of a model and scales it by ten", async () => {
  await using bench = await openBench(meshoptimizerEngine);
  for (const [format, content] of [
    ["stl", stlBinary()],
    ["obj", obj()],
    ["ply", ply("binary_little_endian")],
    ["glb", glb()],
  ] as const) {
    const source = join(bench.folder, `sphere.${format}`);
    await writeFile(source, content);
    const before = await about(source);
    const { path, notes } = await bench.convert(source, format, format, { simplify: 0.5, scale: 10 });
    const after = await about(path);
    expect([format, [...notes.keys()]]).toEqual([format, ["FACES_MERGED"]]);
    expect([format, after.meshes]).toEqual([format, before.meshes]);
    expect(after.faces / before.faces).toBeGreaterThan(0.4);
    expect(after.faces / before.faces).toBeLessThan(0.52);
    expect(after.size).toHaveLength(3);
    after.size.forEach((edge, axis) => {
      expect(edge / (before.size[axis] ?? 0)).toBeCloseTo(10, 0);
    });
  }
});
