/** Rewrites glTF models so that assimp converts them correctly. */
import { makeOpaque, whitenOthers } from "./opaque-colours.ts";

const glbMark = 0x46546c67;
const headBytes = 20;

/** Leaves out extensions of nodes (such as lights) and nested values in their extras, on which assimp's writers abort. */
export const plainGltf = (bytes: Buffer): Buffer =>
  rewritten(bytes, (model) => {
    for (const node of [...(model.nodes ?? []), ...(model.scenes ?? [])]) {
      delete node.extensions;
      node.extras = Object.fromEntries(Object.entries(node.extras ?? {}).filter(([, value]) => typeof value !== "object"));
    }
  });

/** Adds a node around each scene, because assimp's FBX leaves out the transform of the outermost node. */
export const rootedGltf = (bytes: Buffer): Buffer =>
  rewritten(bytes, ({ nodes, scenes }) => {
    if (!Array.isArray(nodes) || !Array.isArray(scenes)) return;
    for (const scene of scenes.filter(({ nodes }) => nodes?.length > 0)) scene.nodes = [nodes.push({ children: scene.nodes }) - 1];
  });

export const colouredGltf = (bytes: Buffer): Buffer => rewritten(bytes, makeOpaque);

/** For formats in which either all vertices or none have a colour. */
export const whitenedGltf = (bytes: Buffer): Buffer =>
  rewritten(bytes, (model, binary) => {
    makeOpaque(model, binary);
    whitenOthers(model);
  });

/** With the root of each opacity, because assimp's glTF multiplies that of a colour by itself. */
export const translucentGltf = (bytes: Buffer): Buffer =>
  rewritten(bytes, (model, binary) => {
    makeOpaque(model, binary);
    for (const { pbrMetallicRoughness: { baseColorFactor: colour } = {} as Surface } of model.materials ?? [])
      if (colour?.length === 4 && colour[3] > 0) colour[3] = Math.sqrt(colour[3]);
  });
type Surface = { readonly baseColorFactor?: [number, number, number, number] };

/** Marks that its source had no unit of length, which 3MF needs (see unitMark in shapes.ts, whose packages are not here). */
export const unitlessGltf = (bytes: Buffer): Buffer =>
  rewritten(bytes, ({ asset }) => {
    asset.extras = { ...asset.extras, lengthUnit: "none" };
  });

export const paddedGltf = (bytes: Buffer): Buffer => rewritten(bytes, () => undefined);

/** Changes the JSON of a glTF or GLB, and pads it. */
function rewritten(bytes: Buffer, change: (model: ReturnType<typeof JSON.parse>, binary: Buffer) => void): Buffer {
  const isGlb = bytes.length >= headBytes && bytes.readUInt32LE(0) === glbMark;
  const jsonEnd = isGlb ? headBytes + bytes.readUInt32LE(12) : bytes.length;
  const model = JSON.parse(bytes.toString("utf8", isGlb ? headBytes : 0, jsonEnd));
  change(model, bytes.subarray(jsonEnd + 8));
  const text = Buffer.from(JSON.stringify(model));
  if (!isGlb) return text;
  const json = Buffer.concat([text, Buffer.alloc(-text.length & 3, " ")]);
  const head = Buffer.from(bytes.subarray(0, headBytes));
  head.writeUInt32LE(headBytes + json.length + bytes.length - jsonEnd, 8);
  head.writeUInt32LE(json.length, 12);
  return Buffer.concat([head, json, bytes.subarray(jsonEnd)]);
}
