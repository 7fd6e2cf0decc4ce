/** GLB: faces are merged by glTF-Transform; lengths are scaled by a node above each scene, which leaves everything below unchanged. */
import { type Document, NodeIO, type Primitive } from "@gltf-transform/core";
import { ALL_EXTENSIONS, EXTMeshoptCompression } from "@gltf-transform/extensions";
import { MeshoptDecoder } from "meshoptimizer/decoder";
import { type Notes, noteOnce } from "../exchange.ts";
import { inexpressible, invalid, tooComplex } from "../failure.ts";
import type { Change, Changed } from "./asked.ts";
import { type GlbParts, glbOf, type Scene, sceneIn } from "./glb-file.ts";
import { measuresScaled } from "./glb-measures.ts";
import { mergePrimitive } from "./glb-primitive.ts";

const maxElements = 2 ** 26;
const maxUnpackedBytes = 2 ** 29;
const unreadablePacking = new Set(["KHR_draco_mesh_compression", "KHR_meshopt_compression"]);
const meshopt = EXTMeshoptCompression.EXTENSION_NAME;
/** Marks which triangles formed one polygon by the order of their vertices. */
const withoutContent = ["FB_ngon_encoding"];
const triangles = 4;

export async function changeGlb(bytes: Buffer, { share, factor }: Change, notes: Notes): Promise<Changed> {
  const parts = sceneIn(bytes);
  assertBounded(parts);
  const had = trianglesIn(parts.scene);
  if (had === 0) throw invalid("The model is damaged, or contains no faces.");
  const merged = share === 1 ? bytes : await mergedGlb(bytes, parts.scene, share, notes);
  const made = share === 1 ? parts : sceneIn(merged);
  const has = trianglesIn(made.scene);
  // If nothing was merged, the original is kept, because glTF-Transform would write it differently.
  const result = has === had ? parts : made;
  if (has === had) notes.clear();
  return { bytes: factor === 1 ? (has === had ? bytes : merged) : glbOf(scaledScene(result, factor)), had, has };
}

/** Bounds the sizes that accessors and views claim before anything is allocated. */
function assertBounded({ scene, binary }: GlbParts): void {
  const { accessors = [], bufferViews = [], buffers = [] } = scene;
  // Views of a buffer without bytes are decompressed from other buffers.
  const isFallback = ({ extensions }: Extended) => extensions?.[meshopt] !== undefined;
  if (buffers.some((buffer, index) => buffer.uri === undefined && !isFallback(buffer) && (index > 0 || buffer.byteLength > binary.length)))
    throw invalid("The model is truncated.");
  const unpackedBytes = [...buffers.filter(isFallback).map(({ byteLength }) => byteLength), ...bufferViews.map(unpackedBytesOf)];
  if (!(unpackedBytes.reduce((sum, bytes) => sum + bytes, 0) <= maxUnpackedBytes))
    throw tooComplex("The model claims more data than a conversion is allowed to use.");
  if (buffers.some(({ uri }) => uri !== undefined && !uri.startsWith("data:"))) throw invalid("The model refers to other files.");
  const claimed = accessors.reduce((sum, { count }) => sum + count, 0);
  if (!(claimed <= maxElements)) throw tooComplex("The model claims more data than a conversion is allowed to use.");
  if (bufferViews.some(({ buffer, byteOffset = 0, byteLength }) => byteOffset + byteLength > (buffers[buffer]?.byteLength ?? 0)))
    throw invalid("The model is truncated.");
}

type Extended = { readonly extensions?: Readonly<Record<string, unknown>> };

/** The size in the extension, which need not match the view's length, but which the decoder uses. NaN if it is missing. */
function unpackedBytesOf({ extensions }: Extended): number {
  const packed = extensions?.[meshopt];
  if (packed === undefined) return 0;
  const { count, byteStride } = Object(packed) as Readonly<Record<string, unknown>>;
  return typeof count === "number" && typeof byteStride === "number" && count >= 0 && byteStride >= 0 ? count * byteStride : Number.NaN;
}

/** Counts each mesh once, however often it is used, or whether it is visible at all. */
function trianglesIn({ meshes = [], accessors = [] }: Scene): number {
  let sum = 0;
  for (const { primitives } of meshes)
    for (const { mode = triangles, indices, attributes } of primitives)
      if (mode === triangles) sum += Math.floor((accessors[indices ?? attributes["POSITION"] ?? -1]?.count ?? 0) / 3);
  return sum;
}

async function mergedGlb(bytes: Buffer, scene: Scene, share: number, notes: Notes): Promise<Buffer> {
  const { io, document } = await documentOf(bytes, scene, notes, "The model's faces cannot be merged");
  await mergeAll(document, share);
  return Buffer.from(await io.writeBinary(document));
}

/** The shapes of a scene, provided that every extension they need is known; pictures in external files are replaced with empty ones. */
export async function readGlb(bytes: Buffer, notes: Notes): Promise<Document> {
  const { scene, binary } = sceneIn(bytes);
  assertBounded({ scene, binary });
  const images = scene.images?.map((image) => (image.uri === undefined ? image : { ...image, uri: "data:image/png;base64," }));
  const whole = images === undefined ? bytes : glbOf({ scene: { ...scene, images }, binary });
  return (await documentOf(whole, scene, notes, "The model cannot be read")).document;
}

async function documentOf(bytes: Buffer, { extensionsUsed = [], extensionsRequired = [] }: Scene, notes: Notes, refusal: string) {
  const known = new Set([...ALL_EXTENSIONS.map(({ EXTENSION_NAME }) => EXTENSION_NAME as string), ...withoutContent]);
  const unread = extensionsUsed.filter((name) => unreadablePacking.has(name) || !known.has(name));
  const needed = unread.filter((name) => unreadablePacking.has(name) || extensionsRequired.includes(name));
  if (needed.length > 0) throw inexpressible(`${refusal}, as it needs ${needed.slice(0, 5).join(", ")}.`);
  if (unread.length > 0) noteOnce(notes, "METADATA_DROPPED", `Extensions were left out: ${unread.slice(0, 5).join(", ")}.`);
  await MeshoptDecoder.ready;
  const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({ "meshopt.decoder": MeshoptDecoder });
  const document = await io.readBinary(new Uint8Array(bytes)).catch(() => {
    throw invalid("The model is damaged, or refers to other files.");
  });
  // Written uncompressed: compressing again would round a second time.
  for (const extension of document.getRoot().listExtensionsUsed()) if (extension.extensionName === meshopt) extension.dispose();
  return { io, document };
}

/** Accessors that two primitives share are written once for each. */
async function mergeAll(document: Document, share: number): Promise<void> {
  const merged = new Set<Primitive>();
  for (const mesh of document.getRoot().listMeshes()) {
    const primitives = mesh.listPrimitives();
    for (const primitive of primitives) {
      if (primitive.getMode() !== triangles || merged.has(primitive)) continue;
      merged.add(primitive);
      await mergePrimitive(document, primitive, share, primitives.length > 1);
    }
  }
  for (const accessor of document.getRoot().listAccessors())
    if (accessor.listParents().every((parent) => parent === document.getRoot())) accessor.dispose();
}

/** Adds a scaling node above each root node; cameras keep their range and lights their brightness on the model. */
function scaledScene({ scene, binary }: GlbParts, factor: number): GlbParts {
  const nodes = [...(scene.nodes ?? [])];
  const children = new Set(nodes.flatMap((node) => node.children ?? []));
  const above = new Map<number, number>();
  for (const root of [...nodes.keys()].filter((node) => !children.has(node))) {
    above.set(root, nodes.length);
    nodes.push({ scale: [factor, factor, factor], children: [root] });
  }
  if (above.size === 0) throw inexpressible("The model has no scene that could be scaled.");
  const scenes = scene.scenes?.map((each) =>
    each.nodes === undefined ? each : { ...each, nodes: each.nodes.map((root) => above.get(root) ?? root) },
  );
  return { scene: { ...scene, nodes, ...(scenes && { scenes }), ...measuresScaled(scene, factor) }, binary };
}
