/** Colours of glTF vertices without an opacity, for which assimp takes none at all. */

type View = { readonly buffer: number; readonly byteOffset?: number; readonly byteStride?: number; readonly extensions?: unknown };
type Accessor = {
  bufferView?: number;
  byteOffset?: number;
  type: string;
  readonly componentType: number;
  readonly count: number;
  readonly normalized?: boolean;
  readonly sparse?: unknown;
};
type Model = {
  readonly meshes?: readonly { readonly primitives: readonly { readonly attributes?: Record<string, number> }[] }[];
  readonly accessors?: Accessor[];
  readonly bufferViews?: (View & { readonly byteLength: number })[];
  readonly buffers?: { readonly byteLength: number; readonly uri?: string }[];
};

/** The bytes of a full opacity, by the type of the numbers. */
const opaque: Readonly<Record<number, Buffer>> = {
  5121: Buffer.from([255]),
  5123: Buffer.from([255, 255]),
  5126: Buffer.from(Float32Array.of(1).buffer),
};

/** Gives them one. `binary`: the first buffer of a GLB. */
export function makeOpaque(model: Model, binary: Buffer): void {
  const used = (model.meshes ?? []).flatMap(({ primitives }) => primitives.flatMap(({ attributes }) => Object.entries(attributes ?? {})));
  const bytesOf = buffersOf(model, binary);
  for (const index of new Set(used.flatMap(([name, place]) => (/^COLOR_\d+$/.test(name) ? [place] : [])))) {
    const accessor = model.accessors?.[index];
    const made = accessor?.type === "VEC3" && accessor.sparse === undefined ? padded(model, accessor, bytesOf) : undefined;
    if (accessor === undefined || made === undefined || model.buffers === undefined || model.bufferViews === undefined) continue;
    const buffer =
      model.buffers.push({ byteLength: made.length, uri: `data:application/octet-stream;base64,${made.toString("base64")}` }) - 1;
    accessor.bufferView = model.bufferViews.push({ buffer, byteLength: made.length }) - 1;
    accessor.byteOffset = 0;
    accessor.type = "VEC4";
  }
}

/** Gives white, which changes no colour, to shapes without colours beside coloured ones: the writers of OBJ and PLY make them black. */
export function whitenOthers({ meshes = [], accessors = [], bufferViews = [], buffers = [] }: Model): void {
  const primitives = meshes.flatMap((mesh) => mesh.primitives);
  if (!primitives.some(({ attributes }) => attributes?.["COLOR_0"] !== undefined)) return;
  for (const { attributes } of primitives) {
    const count = accessors[attributes?.["POSITION"] ?? -1]?.count;
    if (attributes === undefined || attributes["COLOR_0"] !== undefined || count === undefined || count > mostWhite) continue;
    const white = Buffer.alloc(count * 4, 255);
    const buffer = buffers.push({ byteLength: white.length, uri: `data:application/octet-stream;base64,${white.toString("base64")}` }) - 1;
    const bufferView = bufferViews.push({ buffer, byteLength: white.length }) - 1;
    attributes["COLOR_0"] = accessors.push({ bufferView, type: "VEC4", componentType: 5121, normalized: true, count }) - 1;
  }
}

/** A file may claim any count. */
const mostWhite = 2 ** 26;

/** The bytes of buffers, each of which is decoded once. */
function buffersOf({ buffers = [] }: Model, binary: Buffer): (index: number) => Buffer {
  const read = new Map<number, Buffer>();
  return (index) => {
    const uri = buffers[index]?.uri;
    const bytes = read.get(index) ?? (uri === undefined ? binary : Buffer.from(uri.slice(uri.indexOf(",") + 1), "base64"));
    read.set(index, bytes);
    return bytes;
  };
}

function padded({ bufferViews = [] }: Model, accessor: Accessor, bytesOf: (index: number) => Buffer): Buffer | undefined {
  const view = bufferViews[accessor.bufferView ?? -1];
  const full = opaque[accessor.componentType];
  if (view === undefined || full === undefined || view.extensions !== undefined) return undefined;
  const bytes = bytesOf(view.buffer);
  const size = full.length * 3;
  const stride = view.byteStride ?? size;
  const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  if (start + stride * (accessor.count - 1) + size > bytes.length) return undefined;
  return Buffer.concat(
    Array.from({ length: accessor.count }, (_, place) => [
      bytes.subarray(start + place * stride, start + place * stride + size),
      full,
    ]).flat(),
  );
}
