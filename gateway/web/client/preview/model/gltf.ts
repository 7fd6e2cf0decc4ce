/** Reads single-file glTF 2.0: its triangles, transformed by the scene, in the colours of their materials. */
import { type Colour, type Mesh, type Place, plain, STEP, Triangles } from "./mesh.ts";
import type { Steps } from "./steps.ts";

type Accessor = {
  readonly bufferView?: number;
  readonly byteOffset?: number;
  readonly componentType: number;
  readonly count: number;
  readonly normalized?: boolean;
};
type View = { readonly buffer: number; readonly byteOffset?: number; readonly byteLength: number; readonly byteStride?: number };
type Node = { readonly mesh?: number; readonly children?: readonly number[]; readonly matrix?: readonly number[] } & {
  readonly [way in "translation" | "rotation" | "scale"]?: readonly number[];
};
type Primitive = {
  readonly mode?: number;
  readonly indices?: number;
  readonly material?: number;
  readonly attributes: { readonly POSITION?: number };
};
type Document = {
  readonly accessors?: readonly Accessor[];
  readonly bufferViews?: readonly View[];
  readonly buffers?: readonly { readonly uri?: string }[];
  readonly nodes?: readonly Node[];
  readonly scenes?: readonly { readonly nodes?: readonly number[] }[];
  readonly scene?: number;
  readonly meshes?: readonly { readonly primitives: readonly Primitive[] }[];
  readonly materials?: readonly { readonly pbrMetallicRoughness?: { readonly baseColorFactor?: readonly number[] } }[];
};
type Source = { readonly document: Document; readonly buffers: readonly DataView[]; left: number };
/** Column-major, as in glTF. */
type Matrix = readonly number[];

/** Nested instances can grow without limit, and a file can claim to have more numbers than bytes. */
const MAX_NODES = 50_000;
const MAX_PRIMITIVES = 50_000;
const MAX_VALUES = 20_000_000;
const TRIANGLES = 4;
const identity: Matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Throws if the file is invalid, is compressed, or refers to other files. */
export function* meshOfGltf(bytes: ArrayBuffer): Steps<Mesh> {
  const { text, binary } = partsOf(bytes);
  const document = JSON.parse(text) as Document;
  const buffers = (document.buffers ?? []).map(({ uri }) => (uri === undefined ? binary : inlineOf(uri)));
  const source: Source = { document, buffers, left: MAX_VALUES };
  const mesh = new Triangles();
  const open = (document.scenes?.[document.scene ?? 0]?.nodes ?? []).map((node) => ({ node, above: identity }));
  let [nodes, primitives] = [open.length, 0];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const node = document.nodes?.[one.node];
    if (node === undefined) continue;
    const { children = [] } = node;
    const parts = document.meshes?.[node.mesh ?? -1]?.primitives ?? [];
    // Counted before they are visited, because each of many nodes can have just as many children.
    [nodes, primitives] = [nodes + children.length, primitives + parts.length];
    if (nodes > MAX_NODES || primitives > MAX_PRIMITIVES) throw new RangeError("more than is drawn here");
    const matrix = product(one.above, matrixOf(node));
    for (const child of children) open.push({ node: child, above: matrix });
    for (const primitive of parts) yield* take(primitive, { source, matrix, mesh });
  }
  return mesh;
}

/** A GLB consists of a header, the JSON and one buffer. @see glTF 2.0, 4.4 */
function partsOf(bytes: ArrayBuffer): { text: string; binary: DataView } {
  const view = new DataView(bytes);
  const isBinary = bytes.byteLength >= 20 && view.getUint32(0, true) === 0x46546c67;
  if (!isBinary) return { text: new TextDecoder().decode(bytes), binary: new DataView(new ArrayBuffer(0)) };
  const length = view.getUint32(12, true);
  const text = new TextDecoder().decode(new Uint8Array(bytes, 20, length));
  const binary = 20 + length + 8 <= bytes.byteLength ? new DataView(bytes, 20 + length + 8) : new DataView(new ArrayBuffer(0));
  return { text, binary };
}

function inlineOf(uri: string): DataView {
  const [head, body] = [uri.slice(0, uri.indexOf(",")), uri.slice(uri.indexOf(",") + 1)];
  if (!/^data:[^,]*;base64$/.test(head)) throw new TypeError("a buffer in another file");
  return new DataView(Uint8Array.from(atob(body), (sign) => sign.charCodeAt(0)).buffer);
}

type Taking = { readonly source: Source; readonly matrix: Matrix; readonly mesh: Triangles };

function* take(primitive: Primitive, { source, matrix, mesh }: Taking): Steps<void> {
  const { mode = TRIANGLES, attributes, indices, material } = primitive;
  if (mode !== TRIANGLES || attributes.POSITION === undefined) return;
  const flat = yield* valuesOf(source, attributes.POSITION, 3);
  const order = indices === undefined ? undefined : yield* valuesOf(source, indices, 1);
  const factor = source.document.materials?.[material ?? -1]?.pbrMetallicRoughness?.baseColorFactor;
  const colour = factor === undefined ? plain : shownOf(factor);
  const placeOf = (corner: number): Place | undefined => {
    const at = 3 * (order === undefined ? corner : (order[corner] ?? NaN));
    const [x, y, z] = [flat[at], flat[at + 1], flat[at + 2]];
    return x === undefined || y === undefined || z === undefined ? undefined : moved(matrix, x, y, z);
  };
  const corners = order?.length ?? flat.length / 3;
  for (let corner = 0; corner + 2 < corners; corner += 3) {
    mesh.add(placeOf(corner), placeOf(corner + 1), placeOf(corner + 2), colour);
    if (corner % STEP === 0) yield;
  }
}

/** Converts linear colours of glTF to the screen's gamma. */
function shownOf([red = 1, green = 1, blue = 1]: readonly number[]): Colour {
  const shown = (value: number): number => Math.max(0, value) ** (1 / 2.2);
  return [shown(red), shown(green), shown(blue)];
}

type Reading = { readonly bytes: number; readonly most: number; read(view: DataView, at: number): number };
const readings: Readonly<Record<number, Reading>> = {
  5120: { bytes: 1, most: 127, read: (view, at) => view.getInt8(at) },
  5121: { bytes: 1, most: 255, read: (view, at) => view.getUint8(at) },
  5122: { bytes: 2, most: 32767, read: (view, at) => view.getInt16(at, true) },
  5123: { bytes: 2, most: 65535, read: (view, at) => view.getUint16(at, true) },
  5125: { bytes: 4, most: 4294967295, read: (view, at) => view.getUint32(at, true) },
  5126: { bytes: 4, most: 1, read: (view, at) => view.getFloat32(at, true) },
};

/** The numbers of an accessor, `width` per element. Throws if its buffer is too short. */
function* valuesOf(source: Source, index: number, width: number): Steps<number[]> {
  const accessor = source.document.accessors?.[index];
  const view = source.document.bufferViews?.[accessor?.bufferView ?? -1];
  const reading = readings[accessor?.componentType ?? 0];
  const buffer = source.buffers[view?.buffer ?? -1];
  if (accessor === undefined || view === undefined || reading === undefined || buffer === undefined) throw new TypeError("no such values");
  // A negative count would raise what is left.
  if (!(accessor.count >= 0)) throw new RangeError("a count that is none");
  source.left -= accessor.count * width;
  if (!(source.left >= 0)) throw new RangeError("more numbers than are drawn here");
  const stride = view.byteStride ?? reading.bytes * width;
  const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  const divisor = accessor.normalized === true ? reading.most : 1;
  const values: number[] = [];
  for (let element = 0; element < accessor.count; element++) {
    for (let part = 0; part < width; part++) values.push(reading.read(buffer, start + element * stride + part * reading.bytes) / divisor);
    if (element % STEP === 0) yield;
  }
  return values;
}

function matrixOf({ matrix, translation, rotation, scale }: Node): Matrix {
  if (matrix !== undefined) return matrix;
  const [x = 0, y = 0, z = 0, w = 1] = rotation ?? [];
  const [sx = 1, sy = 1, sz = 1] = scale ?? [];
  const [tx = 0, ty = 0, tz = 0] = translation ?? [];
  return [
    ...[(1 - 2 * (y * y + z * z)) * sx, 2 * (x * y + z * w) * sx, 2 * (x * z - y * w) * sx, 0],
    ...[2 * (x * y - z * w) * sy, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z + x * w) * sy, 0],
    ...[2 * (x * z + y * w) * sz, 2 * (y * z - x * w) * sz, (1 - 2 * (x * x + y * y)) * sz, 0],
    ...[tx, ty, tz, 1],
  ];
}

function product(a: Matrix, b: Matrix): Matrix {
  const at = (row: number, column: number): number =>
    [0, 1, 2, 3].reduce((sum, n) => sum + (a[n * 4 + row] ?? 0) * (b[column * 4 + n] ?? 0), 0);
  return Array.from({ length: 16 }, (_, n) => at(n % 4, Math.floor(n / 4)));
}

function moved(m: Matrix, x: number, y: number, z: number): Place {
  const at = (row: number): number => (m[row] ?? 0) * x + (m[4 + row] ?? 0) * y + (m[8 + row] ?? 0) * z + (m[12 + row] ?? 0);
  return [at(0), at(1), at(2)];
}
