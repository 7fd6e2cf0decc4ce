/** Converts 3MF, the format of 3D printers, to positioned shapes. */
import { type Notes, noteAlso } from "../exchange.ts";
import { invalid, tooComplex } from "../failure.ts";
import { type Colour, linearOf, maxTriangles, type Part, type Shape } from "./shapes.ts";
import { type Parts, partsIn, type Solid, type Transform } from "./threemf-parts.ts";

const maxDepth = 32;
/** Cost of placing an object, in triangles. */
const placing = 100;

export function shapesOf3mf(bytes: Buffer, notes: Notes): readonly Shape[] {
  const parts = partsIn(bytes);
  const shapes: Shape[] = [];
  let triangles = 0;
  const scale: Transform = [parts.unit, 0, 0, 0, parts.unit, 0, 0, 0, parts.unit, 0, 0, 0];
  const place = (key: string, transform: Transform, depth: number): void => {
    const object = parts.objects.get(key);
    if (object === undefined || depth > maxDepth)
      throw invalid("The model is damaged: its parts refer to missing parts, or to themselves.");
    // All vertices are transformed, even for an object with few faces.
    triangles += Math.max(object.triangles.length, object.positions.length) / 3 + placing;
    if (triangles > maxTriangles) throw tooComplex("The model has too many faces.");
    if (object.triangles.length > 0) shapes.push({ name: object.name, parts: placed(object, transform, parts) });
    for (const { key: inner, transform: own } of object.components) place(inner, product(own, transform), depth + 1);
  };
  for (const { key, transform } of parts.items) place(key, product(transform, scale), 0);
  if (parts.left.size > 0)
    noteAlso(
      notes,
      "METADATA_DROPPED",
      `Anything that is not a solid of one colour was left out: ${[...parts.left].join(", ").toLowerCase()}.`,
    );
  return shapes;
}

/** Applies the first, then the second. */
function product(first: Transform, second: Transform): Transform {
  const at = (matrix: Transform, row: number, column: number) => matrix[row * 3 + column] ?? 0;
  return Array.from({ length: 12 }, (_, index) => {
    const [row, column] = [Math.floor(index / 3), index % 3];
    const sum =
      at(first, row, 0) * at(second, 0, column) + at(first, row, 1) * at(second, 1, column) + at(first, row, 2) * at(second, 2, column);
    return row === 3 ? sum + at(second, 3, column) : sum;
  });
}

function placed({ positions, triangles, paints }: Solid, t: Transform, { colours }: Parts): readonly Part[] {
  const count = positions.length / 3;
  if (triangles.some((corner) => !(corner >= 0 && corner < count)))
    throw invalid("The model is damaged: a face refers to a missing vertex.");
  const moved = new Float32Array(positions.length);
  for (let at = 0; at < positions.length; at += 3) {
    const [x = 0, y = 0, z = 0] = positions.slice(at, at + 3);
    for (let axis = 0; axis < 3; axis++)
      moved[at + axis] = x * (t[axis] ?? 0) + y * (t[3 + axis] ?? 0) + z * (t[6 + axis] ?? 0) + (t[9 + axis] ?? 0);
  }
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0] = t;
  // Mirroring turns a model inside out.
  const isMirrored = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0;
  const groups = Map.groupBy(paints.keys(), (face) => colours.get(paints[face]?.group ?? "")?.[paints[face]?.place ?? 0] ?? "");
  return [...groups].map(([colour, faces]) => ({
    positions: moved,
    indices: Uint32Array.from(faces.flatMap((face) => cornersOf(triangles, face, isMirrored))),
    colour: colourOf(colour),
  }));
}

function cornersOf(triangles: readonly number[], face: number, isMirrored: boolean): readonly number[] {
  const [a = 0, b = 0, c = 0] = triangles.slice(face * 3, face * 3 + 3);
  return isMirrored ? [a, c, b] : [a, b, c];
}

function colourOf(text: string): Colour | undefined {
  const digits = /^#([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(text);
  if (digits === null) return undefined;
  const value = Number.parseInt(digits[1] ?? "", 16);
  return linearOf([value >> 16, (value >> 8) & 255, value & 255, Number.parseInt(digits[2] ?? "ff", 16)]);
}
