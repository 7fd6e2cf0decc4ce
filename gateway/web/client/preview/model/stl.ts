/** Reads STL, text or binary. In STL, z is up. */
import { type Mesh, type Place, plain, STEP, Triangles } from "./mesh.ts";
import type { Steps } from "./steps.ts";

const HEAD_BYTES = 84;
const FACET_BYTES = 50;

export function* meshOfStl(bytes: ArrayBuffer): Steps<Mesh> {
  const view = new DataView(bytes);
  const told = bytes.byteLength >= HEAD_BYTES ? view.getUint32(80, true) : Infinity;
  const length = HEAD_BYTES + told * FACET_BYTES;
  // Text files start with this word, but so do the headers of some binary files.
  const isSolid = new TextDecoder().decode(new Uint8Array(bytes).subarray(0, 5)) === "solid";
  const isBinary = isSolid ? bytes.byteLength === length : bytes.byteLength >= length;
  return yield* isBinary ? meshOfFacets(view, told) : meshOfText(new TextDecoder().decode(bytes));
}

function* meshOfFacets(view: DataView, count: number): Steps<Mesh> {
  const mesh = new Triangles();
  const cornerAt = (at: number): Place => [view.getFloat32(at, true), view.getFloat32(at + 8, true), -view.getFloat32(at + 4, true)];
  for (let facet = 0; facet < count; facet++) {
    const at = HEAD_BYTES + facet * FACET_BYTES;
    mesh.add(cornerAt(at + 12), cornerAt(at + 24), cornerAt(at + 36), plain);
    if (facet % STEP === 0) yield;
  }
  return mesh;
}

function* meshOfText(text: string): Steps<Mesh> {
  const mesh = new Triangles();
  let corners: Place[] = [];
  for (const [, rest = ""] of text.matchAll(/^[ \t]*vertex[ \t]([^\r\n]*)/gim)) {
    const [x = NaN, y = NaN, z = NaN] = rest.trim().split(/\s+/).map(Number);
    corners.push([x, z, -y]);
    if (corners.length < 3) continue;
    mesh.add(corners[0], corners[1], corners[2], plain);
    corners = [];
    if (mesh.colours.length % STEP === 0) yield;
  }
  return mesh;
}
