/** Tessellates STEP surfaces with Open CASCADE in WebAssembly. */
import openCascade from "occt-import-js";
import { invalid } from "../failure.ts";
import { type Colour, linearOf, type Part, type Shape } from "./shapes.ts";

type Faces = { readonly first: number; readonly last: number; readonly color: readonly number[] | null };
type Mesh = {
  readonly name: string;
  readonly color?: readonly number[];
  readonly brep_faces: readonly Faces[];
  readonly attributes: {
    readonly position: { readonly array: ArrayLike<number> };
    readonly normal?: { readonly array: ArrayLike<number> };
  };
  readonly index: { readonly array: ArrayLike<number> };
};

/** Maximum deviation of a triangle from its surface: a thousandth of the model's bounding box, and half a radian between neighbours. */
const fineness = {
  linearUnit: "millimeter",
  linearDeflectionType: "bounding_box_ratio",
  linearDeflection: 0.001,
  angularDeflection: 0.5,
};

export async function shapesOfStep(bytes: Buffer): Promise<readonly Shape[]> {
  const library = await openCascade({ print: () => undefined, printErr: () => undefined });
  const result = library.ReadStepFile(bytes, fineness);
  if (!result.success) throw invalid("The model is damaged or is not STEP.");
  const meshes: readonly Mesh[] = result.meshes;
  return meshes.map((mesh) => ({ name: mesh.name, parts: partsOf(mesh) }));
}

/** A part for each face colour. */
function partsOf({ attributes, index, brep_faces: faces, color }: Mesh): readonly Part[] {
  const positions = Float32Array.from(attributes.position.array);
  const normals = attributes.normal === undefined ? {} : { normals: Float32Array.from(attributes.normal.array) };
  const indices = Uint32Array.from(index.array);
  const groups = Map.groupBy(faces, (face) => (face.color ?? color ?? []).join());
  if (groups.size < 2) return [{ positions, ...normals, indices, colour: colourOf(faces[0]?.color ?? color) }];
  return [...groups.values()].map((some) => ({
    ...{ positions, ...normals, colour: colourOf(some[0]?.color ?? color) },
    indices: Uint32Array.from(some.flatMap(({ first, last }) => [...indices.subarray(first * 3, (last + 1) * 3)])),
  }));
}

function colourOf(color: readonly number[] | null | undefined): Colour | undefined {
  const [red, green, blue] = (color ?? []).map((value) => value * 255);
  return red === undefined || green === undefined || blue === undefined ? undefined : linearOf([red, green, blue]);
}
