/** Reads the faces of Wavefront OBJ. Materials are in a separate file and are ignored. */
import { type Mesh, type Place, plain, STEP, Triangles } from "./mesh.ts";
import type { Steps } from "./steps.ts";

export function* meshOfObj(bytes: ArrayBuffer): Steps<Mesh> {
  const mesh = new Triangles();
  const places: Place[] = [];
  let lines = 0;
  for (const [line] of new TextDecoder().decode(bytes).matchAll(/[^\n]+/g)) {
    lines += 1;
    if (lines % STEP === 0) yield;
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === "v") {
      const [x = NaN, y = NaN, z = NaN] = rest.map(Number);
      places.push([x, y, z]);
    }
    if (word !== "f") continue;
    // A corner such as "3/1/2" starts with the index of its position. Negative indices count from the end.
    const corners = rest.map((each) => Number.parseInt(each, 10)).map((n) => places[n < 0 ? places.length + n : n - 1]);
    for (let n = 2; n < corners.length; n++) mesh.add(corners[0], corners[n - 1], corners[n], plain);
  }
  return mesh;
}
