/** Reads models with a few lines that know only each format's layout, independent of the programs that write it. */
import { readFile } from "node:fs/promises";
import { inflateSync } from "node:zlib";
import { unzipSync } from "fflate";

export type ModelReading = {
  readonly triangles: number;
  /** Edge lengths of the bounding box, shortest first: independent of the model's orientation. */
  readonly size: readonly number[];
  /** For a scene: its shapes before they are placed, each once. */
  readonly unplaced?: Omit<ModelReading, "unplaced">;
};

type Corner = readonly number[];

/** @throws Error for a format without a reader here, or a file that it rejects. */
export async function modelOf(path: string, format: string): Promise<ModelReading> {
  const bytes = await readFile(path);
  const text = () => bytes.toString("utf8");
  switch (format) {
    case "obj":
      return readingOf(cornersIn(text(), /^v\s+(.*)$/gm), [...text().matchAll(/^f\s/gm)].length);
    case "stl":
      return text().startsWith("solid") ? readingOf(cornersIn(text(), /vertex\s+(.*)$/gm), count(text(), /endfacet/g)) : inBinaryStl(bytes);
    case "ply":
      return inPly(bytes);
    case "gltf":
      return inGltf(JSON.parse(text()), undefined);
    case "glb":
      return inGltf(JSON.parse(bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12))), bytes.subarray(28 + bytes.readUInt32LE(12)));
    case "dae":
      return inCollada(text());
    case "x3d":
      return readingOf(
        tripled(numbersIn(text(), /<Coordinate\b[^>]*point=["']([^"']+)["']/g)),
        indexed(text(), /coordIndex=["']([^"']+)["']/g),
      );
    case "3mf":
      return in3mf(bytes);
    case "x":
      return inDirectX(text());
    case "3ds":
      return in3ds(bytes);
    case "fbx":
      return inFbx(bytes);
    case "step":
      return readingOf(
        cornersIn(text(), /CARTESIAN_POINT\('[^']*',\(([^)]*)\)/g),
        count(text(), /\bADVANCED_FACE|=\s*FACE_SURFACE|FACE_OUTER_BOUND/g),
      );
    default:
      throw new Error(`no reader of ${format}`);
  }
}

function readingOf(corners: readonly Corner[], triangles: number): ModelReading {
  const size = [0, 1, 2].map((axis) => {
    const values = corners.map((corner) => corner[axis] ?? Number.NaN);
    return (
      values.reduce((most, value) => Math.max(most, value), -Infinity) - values.reduce((least, value) => Math.min(least, value), Infinity)
    );
  });
  if (triangles === 0 || size.some((edge) => !Number.isFinite(edge))) throw new Error("no shapes");
  return { triangles, size: size.toSorted((a, b) => a - b) };
}

const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;
const numbersOf = (text: string) => text.split(/[\s,;]+/).flatMap((word) => (word === "" ? [] : [Number(word)]));

function cornersIn(text: string, pattern: RegExp): Corner[] {
  return [...text.matchAll(pattern)].map(([, values = ""]) => numbersOf(values).slice(0, 3));
}

function numbersIn(text: string, pattern: RegExp): number[] {
  return [...text.matchAll(pattern)].flatMap(([, values = ""]) => numbersOf(values));
}

function tripled(numbers: readonly number[]): Corner[] {
  return Array.from({ length: Math.floor(numbers.length / 3) }, (_, index) => numbers.slice(index * 3, index * 3 + 3));
}

/** Vertex lists, each ended by -1. */
function indexed(text: string, pattern: RegExp): number {
  return numbersIn(text, pattern).filter((index) => index === -1).length;
}

function inBinaryStl(bytes: Buffer): ModelReading {
  const triangles = bytes.readUInt32LE(80);
  if (bytes.length !== 84 + triangles * 50) throw new Error("not an STL file");
  const corners = Array.from({ length: triangles * 3 }, (_, index) => {
    const at = 84 + Math.floor(index / 3) * 50 + 12 + (index % 3) * 12;
    return [bytes.readFloatLE(at), bytes.readFloatLE(at + 4), bytes.readFloatLE(at + 8)];
  });
  return readingOf(corners, triangles);
}

/** The first three properties of a vertex are its position, whatever follows; all are floats. */
function inPly(bytes: Buffer): ModelReading {
  const end = bytes.indexOf("end_header\n", 0, "latin1") + 11;
  const header = bytes.toString("latin1", 0, end);
  const [vertices = 0, faces = 0] = ["vertex", "face"].map((name) => Number(new RegExp(`element ${name} (\\d+)`).exec(header)?.[1]));
  const properties = [...(header.split("element face")[0] ?? "").matchAll(/^property (\w+) \w+$/gm)].map(([, type]) => type);
  if (header.includes("format ascii")) {
    const lines = bytes.toString("latin1", end).split("\n");
    return readingOf(
      lines.slice(0, vertices).map((line) => numbersOf(line).slice(0, 3)),
      faces,
    );
  }
  const stride = properties.reduce((sum, type) => sum + (type === "uchar" ? 1 : type === "double" ? 8 : 4), 0);
  const at = (index: number, axis: number) => bytes.readFloatLE(end + index * stride + axis * 4);
  return readingOf(
    Array.from({ length: vertices }, (_, index) => [at(index, 0), at(index, 1), at(index, 2)]),
    faces,
  );
}

type Gltf = {
  readonly asset: { readonly version: string };
  readonly buffers: readonly { readonly uri?: string; readonly byteLength: number }[];
  readonly bufferViews: readonly { readonly byteOffset?: number; readonly byteStride?: number }[];
  readonly accessors: readonly { readonly bufferView: number; readonly byteOffset?: number; readonly count: number }[];
  readonly scenes?: readonly { readonly nodes?: readonly number[] }[];
  readonly nodes?: readonly GltfNode[];
  readonly meshes: readonly {
    readonly primitives: readonly { readonly attributes: { readonly POSITION: number }; readonly indices?: number }[];
  }[];
};

type GltfNode = {
  readonly mesh?: number;
  readonly children?: readonly number[];
  readonly matrix?: readonly number[];
  readonly translation?: readonly number[];
  readonly rotation?: readonly number[];
  readonly scale?: readonly number[];
};

function inGltf(scene: Gltf, binary: Buffer | undefined): ModelReading {
  if (scene.asset.version !== "2.0") throw new Error("not glTF 2");
  const numbers = binary ?? Buffer.from(scene.buffers[0]?.uri?.replace(/^data:[^,]*,/, "") ?? "", "base64");
  if (numbers.length < (scene.buffers[0]?.byteLength ?? Infinity)) throw new Error("the buffer is cut off");
  const shapes = scene.meshes.map(({ primitives }) => {
    let triangles = 0;
    const corners: Corner[] = [];
    for (const { attributes, indices } of primitives) {
      const places = scene.accessors[attributes.POSITION];
      const view = scene.bufferViews[places?.bufferView ?? -1];
      if (places === undefined || view === undefined) throw new Error("no places");
      triangles += ((indices === undefined ? places : scene.accessors[indices])?.count ?? 0) / 3;
      for (let index = 0; index < places.count; index++) {
        const at = (view.byteOffset ?? 0) + (places.byteOffset ?? 0) + index * (view.byteStride ?? 12);
        corners.push([numbers.readFloatLE(at), numbers.readFloatLE(at + 4), numbers.readFloatLE(at + 8)]);
      }
    }
    return { triangles, corners };
  });
  const placed = placedIn(scene, shapes);
  const unplaced = readingOf(
    shapes.flatMap(({ corners }) => corners),
    shapes.reduce((sum, { triangles }) => sum + triangles, 0),
  );
  return placed.triangles === 0 ? unplaced : { ...readingOf(placed.corners, placed.triangles), unplaced };
}

type Shape = { readonly triangles: number; readonly corners: readonly Corner[] };
type Matrix = readonly number[];

/** Every shape as often as nodes show it, with the transforms of these nodes and their ancestors. */
function placedIn({ nodes = [], scenes = [] }: Gltf, shapes: readonly Shape[]): Shape {
  let triangles = 0;
  const corners: Corner[] = [];
  const visit = (index: number, above: readonly Matrix[]): void => {
    const node = nodes[index];
    if (node === undefined || above.length > 64) return;
    const chain = [matrixOf(node), ...above];
    const shape = node.mesh === undefined ? undefined : shapes[node.mesh];
    triangles += shape?.triangles ?? 0;
    for (const corner of shape?.corners ?? []) corners.push(chain.reduce(moved, corner));
    for (const child of node.children ?? []) visit(child, chain);
  };
  for (const root of scenes[0]?.nodes ?? []) visit(root, []);
  return { triangles, corners };
}

/** Sixteen numbers in column-major order. */
function matrixOf({ matrix, translation: [tx = 0, ty = 0, tz = 0] = [], rotation = [0, 0, 0, 1], scale = [1, 1, 1] }: GltfNode): Matrix {
  if (matrix !== undefined) return matrix;
  const [x = 0, y = 0, z = 0, w = 1] = rotation;
  const [sx = 1, sy = 1, sz = 1] = scale;
  return [
    ...[sx * (1 - 2 * (y * y + z * z)), sx * 2 * (x * y + z * w), sx * 2 * (x * z - y * w), 0],
    ...[sy * 2 * (x * y - z * w), sy * (1 - 2 * (x * x + z * z)), sy * 2 * (y * z + x * w), 0],
    ...[sz * 2 * (x * z + y * w), sz * 2 * (y * z - x * w), sz * (1 - 2 * (x * x + y * y)), 0],
    ...[tx, ty, tz, 1],
  ];
}

function moved(corner: Corner, matrix: Matrix): Corner {
  return [0, 1, 2].map((row) => [0, 1, 2, 3].reduce((sum, column) => sum + (matrix[column * 4 + row] ?? 0) * (corner[column] ?? 1), 0));
}

function inCollada(text: string): ModelReading {
  const places = numbersIn(text, /<float_array id="[^"]*positions-array"[^>]*>([^<]+)</g);
  const triangles = [...text.matchAll(/<(?:triangles|polylist)\b[^>]*count="(\d+)"/g)].reduce((sum, [, number]) => sum + Number(number), 0);
  return readingOf(tripled(places), triangles);
}

/** Text form: vertex count, vertices, face count, faces. */
function inDirectX(text: string): ModelReading {
  const corners: Corner[] = [];
  let triangles = 0;
  for (const [, body = ""] of text.matchAll(/\bMesh\b[^{]*\{([\s\S]*?)(?:Mesh\w+\s*\{|\n\s*\})/g)) {
    const numbers = numbersOf(body);
    const vertices = numbers[0] ?? 0;
    corners.push(...tripled(numbers.slice(1, 1 + vertices * 3)));
    triangles += numbers[1 + vertices * 3] ?? 0;
  }
  return readingOf(corners, triangles);
}

/** Chunks with an id and a length: 0x4110 lists vertices, 0x4120 faces. */
function in3ds(bytes: Buffer): ModelReading {
  const corners: Corner[] = [];
  let triangles = 0;
  const walk = (from: number, to: number): void => {
    for (let at = from; at + 6 <= to; ) {
      const [id, length] = [bytes.readUInt16LE(at), bytes.readUInt32LE(at + 2)];
      if (length < 6) throw new Error("a chunk without length");
      if (id === 0x4d4d || id === 0x3d3d || id === 0x4100) walk(at + 6, at + length);
      if (id === 0x4000) walk(bytes.indexOf(0, at + 6) + 1, at + length);
      if (id === 0x4120) triangles += bytes.readUInt16LE(at + 6);
      if (id === 0x4110) {
        for (let index = 0; index < bytes.readUInt16LE(at + 6); index++) {
          corners.push([0, 4, 8].map((axis) => bytes.readFloatLE(at + 8 + index * 12 + axis)));
        }
      }
      at += length;
    }
  };
  walk(0, bytes.length);
  return readingOf(corners, triangles);
}

/** Binary form: the array of doubles after the name `Vertices`, and that of integers after `PolygonVertexIndex`, deflated or not. */
function inFbx(bytes: Buffer): ModelReading {
  const arrayOf = (name: string, letter: string, width: number): number[] => {
    const found: number[] = [];
    for (let at = bytes.indexOf(`${name}${letter}`, 0, "latin1"); at >= 0; at = bytes.indexOf(`${name}${letter}`, at + 1, "latin1")) {
      const start = at + name.length + 1;
      const [length, encoding, packed] = [0, 4, 8].map((offset) => bytes.readUInt32LE(start + offset));
      const raw = bytes.subarray(start + 12, start + 12 + (encoding === 1 ? (packed ?? 0) : (length ?? 0) * width));
      const values = encoding === 1 ? inflateSync(raw) : raw;
      for (let index = 0; index < (length ?? 0); index++)
        found.push(width === 8 ? values.readDoubleLE(index * 8) : values.readInt32LE(index * 4));
    }
    return found;
  };
  return readingOf(tripled(arrayOf("Vertices", "d", 8)), arrayOf("PolygonVertexIndex", "i", 4).filter((index) => index < 0).length);
}

/** Objects of the first part, with one level of components; every item placed by its matrix. */
function in3mf(bytes: Buffer): ModelReading {
  const text = Buffer.from(unzipSync(bytes)["3D/3dmodel.model"] ?? []).toString("utf8");
  const attributeOf = (tag: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
  const matrixIn = (tag: string): Matrix => {
    const [a = 1, b = 0, c = 0, d = 0, e = 1, f = 0, g = 0, h = 0, i = 1, x = 0, y = 0, z = 0] = numbersOf(attributeOf(tag, "transform"));
    return [a, b, c, 0, d, e, f, 0, g, h, i, 0, x, y, z, 1];
  };
  const objects = new Map(
    text
      .split("<object ")
      .slice(1)
      .map((object) => [attributeOf(object, "id"), object.split("</object>")[0] ?? ""]),
  );
  const shapeOf = (id: string): Shape => {
    const object = objects.get(id) ?? "";
    const own = [...object.matchAll(/<vertex [^>]*>/g)].map(([tag]) => ["x", "y", "z"].map((axis) => Number(attributeOf(tag, axis))));
    const inner = [...object.matchAll(/<component [^>]*>/g)].map(([tag]) =>
      moveShape(shapeOf(attributeOf(tag, "objectid")), matrixIn(tag)),
    );
    return {
      triangles: count(object, /<triangle /g) + inner.reduce((sum, { triangles }) => sum + triangles, 0),
      corners: [...own, ...inner.flatMap(({ corners }) => corners)],
    };
  };
  const placed = [...text.matchAll(/<item [^>]*>/g)].map(([tag]) => moveShape(shapeOf(attributeOf(tag, "objectid")), matrixIn(tag)));
  return readingOf(
    placed.flatMap(({ corners }) => corners),
    placed.reduce((sum, { triangles }) => sum + triangles, 0),
  );
}

function moveShape({ triangles, corners }: Shape, matrix: Matrix): Shape {
  return { triangles, corners: corners.map((corner) => moved(corner, matrix)) };
}
