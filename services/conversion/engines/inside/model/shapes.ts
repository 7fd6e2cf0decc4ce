/** Positioned shapes, and their GLB. Lengths and axes keep their numbers; formats that state a unit are in millimetres. */
import { Document, NodeIO } from "@gltf-transform/core";
import { inexpressible, tooComplex } from "../failure.ts";

/** Red, green, blue and opacity, 0 to 1, linear. */
export type Colour = readonly [number, number, number, number];

/** Triangles of one colour. */
export type Part = {
  /** Three numbers per vertex. */
  readonly positions: Float32Array;
  readonly normals?: Float32Array;
  /** Three vertices per triangle. */
  readonly indices: Uint32Array;
  readonly colour: Colour | undefined;
};

export type Shape = { readonly name: string; readonly parts: readonly Part[] };

/** Names, among the extras of a GLB's asset, the unit of lengths if it is not the metre: a name in 3MF, or "none" if the source had no unit. */
export const unitMark = "lengthUnit";

export const maxTriangles = 10_000_000;

/** @throws Failure if there are no triangles at all, or too many. */
export async function glbOfShapes(shapes: readonly Shape[]): Promise<Uint8Array> {
  const count = shapes.reduce((sum, { parts }) => sum + parts.reduce((all, { indices }) => all + indices.length / 3, 0), 0);
  if (count === 0) throw inexpressible("The model contains no faces.");
  if (count > maxTriangles) throw tooComplex("The model has too many faces.");
  const document = new Document();
  document.getRoot().getAsset()["extras"] = { [unitMark]: "millimeter" };
  const buffer = document.createBuffer();
  const scene = document.createScene();
  const materials = new Map<string, ReturnType<Document["createMaterial"]>>();
  const materialOf = (colour: Colour) => {
    const known = materials.get(colour.join());
    if (known !== undefined) return known;
    const made = document
      .createMaterial()
      .setBaseColorFactor([...colour])
      .setMetallicFactor(0)
      .setDoubleSided(true);
    if (colour[3] < 1) made.setAlphaMode("BLEND");
    materials.set(colour.join(), made);
    return made;
  };
  for (const { name, parts } of shapes) {
    const mesh = document.createMesh(name);
    for (const { positions, normals, indices, colour } of parts) {
      const accessor = (type: "SCALAR" | "VEC3", numbers: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>) =>
        document.createAccessor().setBuffer(buffer).setType(type).setArray(numbers);
      const primitive = document.createPrimitive().setIndices(accessor("SCALAR", Uint32Array.from(indices)));
      primitive.setAttribute("POSITION", accessor("VEC3", Float32Array.from(positions)));
      if (normals !== undefined) primitive.setAttribute("NORMAL", accessor("VEC3", Float32Array.from(normals)));
      if (colour !== undefined) primitive.setMaterial(materialOf(colour));
      mesh.addPrimitive(primitive);
    }
    scene.addChild(document.createNode(name).setMesh(mesh));
  }
  return new NodeIO().writeBinary(document);
}

/** From sRGB, 0 to 255, to linear as in glTF. */
export function linearOf([red, green, blue, alpha = 255]: readonly [number, number, number, number?]): Colour {
  const linear = (value: number) => (value <= 10.31475 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  return [linear(red), linear(green), linear(blue), alpha / 255];
}

/** `#RRGGBBAA` in sRGB. */
export function hexOf(colour: Colour): string {
  const encoded = (value: number) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);
  const values = [...colour.slice(0, 3).map(encoded), colour[3]];
  const digits = values.map((value) => Math.round(Math.min(1, Math.max(0, value)) * 255).toString(16));
  return `#${digits.map((each) => each.padStart(2, "0")).join("")}`.toUpperCase();
}
