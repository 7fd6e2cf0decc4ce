/** Simplifies the triangles of one primitive and drops unused vertices from all attributes and morph targets. */
import type { Accessor, Document, Primitive } from "@gltf-transform/core";
import { invalid } from "../failure.ts";
import { simplified } from "./simplify.ts";

export async function mergePrimitive(document: Document, primitive: Primitive, share: number, keepsBorders: boolean): Promise<void> {
  const places = primitive.getAttribute("POSITION");
  if (places === null) return;
  const holders = [primitive, ...primitive.listTargets()];
  const accessors = holders.flatMap((holder) => holder.listAttributes());
  const count = places.getCount();
  if (accessors.some((accessor) => accessor.getCount() !== count)) throw invalid("The model has vertices without a position.");
  const { same, first } = sameCorners(accessors, count);
  const listed = primitive.getIndices()?.getArray() ?? Uint32Array.from({ length: count }, (_, index) => index);
  if (listed.length % 3 !== 0 || listed.some((corner) => corner >= count))
    throw invalid("The model has faces that refer to missing vertices.");
  const corners = Uint32Array.from(listed, (corner) => same[corner] ?? 0);
  const [made = corners] = await simplified({ places: placesOf(places, first), groups: [corners] }, share, keepsBorders);
  if (made.length === corners.length) return;
  const numbers = new Map<number, number>();
  const indices = made.map((corner) => {
    const number = numbers.get(corner) ?? numbers.size;
    numbers.set(corner, number);
    return number;
  });
  const kept = [...numbers.keys()].map((corner) => first[corner] ?? 0);
  for (const holder of holders)
    for (const semantic of holder.listSemantics()) {
      const old = holder.getAttribute(semantic);
      if (old !== null) holder.setAttribute(semantic, partOf(document, old, kept));
    }
  const small = kept.length < 65_536 ? Uint16Array.from(indices) : Uint32Array.from(indices);
  const buffer = places.getBuffer();
  primitive.setIndices(document.createAccessor().setType("SCALAR").setArray(small).setBuffer(buffer));
}

/** Merges vertices that are equal in all attributes: `same` maps each vertex to its number, `first` each number to a vertex. */
function sameCorners(accessors: readonly Accessor[], count: number) {
  const known = new Map<string, number>();
  const first: number[] = [];
  const columns = accessors.map((accessor) => ({ values: accessor.getArray() ?? new Float32Array(), size: accessor.getElementSize() }));
  const same = Uint32Array.from({ length: count }, (_, corner) => {
    const key = columns.map(({ values, size }) => values.subarray(corner * size, (corner + 1) * size).join(" ")).join("/");
    const number = known.get(key) ?? first.length;
    if (number === first.length) first.push(corner);
    known.set(key, number);
    return number;
  });
  return { same, first };
}

function placesOf(places: Accessor, corners: readonly number[]): Float32Array {
  const made = new Float32Array(corners.length * 3);
  const place: number[] = [];
  corners.forEach((corner, index) => {
    made.set(places.getElement(corner, place), index * 3);
  });
  return made;
}

function partOf(document: Document, old: Accessor, corners: readonly number[]): Accessor {
  const size = old.getElementSize();
  const values = old.getArray();
  if (values === null) throw invalid("The model has vertices without a position.");
  const made = values.slice(0, corners.length * size);
  corners.forEach((corner, index) => {
    made.set(values.subarray(corner * size, (corner + 1) * size), index * size);
  });
  return document
    .createAccessor(old.getName())
    .setType(old.getType())
    .setArray(made)
    .setNormalized(old.getNormalized())
    .setBuffer(old.getBuffer())
    .setExtras(old.getExtras());
}
