/** The two chunks of a GLB, and the members of the JSON that are used here. @see glTF 2.0, 4.4 */
import { inexpressible, invalid } from "../failure.ts";

type Members = Readonly<Record<string, unknown>>;
export type Scene = {
  readonly extensionsUsed?: readonly string[];
  readonly extensionsRequired?: readonly string[];
  readonly buffers?: readonly { readonly uri?: string; readonly byteLength: number; readonly extensions?: Members }[];
  readonly bufferViews?: readonly {
    readonly buffer: number;
    readonly byteOffset?: number;
    readonly byteLength: number;
    readonly extensions?: Members;
  }[];
  readonly accessors?: readonly { readonly count: number }[];
  readonly meshes?: readonly { readonly primitives: readonly SceneTriangles[] }[];
  readonly nodes?: readonly { readonly mesh?: number; readonly children?: readonly number[]; readonly scale?: readonly number[] }[];
  readonly scenes?: readonly { readonly nodes?: readonly number[] }[];
  readonly cameras?: readonly Members[];
  readonly materials?: readonly Members[];
  readonly images?: readonly (Members & { readonly uri?: unknown })[];
  readonly extensions?: unknown;
};
type SceneTriangles = { readonly mode?: number; readonly indices?: number; readonly attributes: Readonly<Record<string, number>> };
export type GlbParts = { readonly scene: Scene; readonly binary: Buffer };

const damaged = "The model is damaged or is not GLB.";
const headBytes = 12;
const chunkHeadBytes = 8;
const [magic, jsonChunk, binaryChunk] = [0x46546c67, 0x4e4f534a, 0x004e4942];

export function sceneIn(bytes: Buffer): GlbParts {
  if (bytes.length < headBytes + chunkHeadBytes || bytes.readUInt32LE(0) !== magic) throw invalid(damaged);
  if (bytes.readUInt32LE(4) === 1) throw inexpressible("The model is in version 1 of glTF; only version 2 can be read here.");
  if (bytes.readUInt32LE(4) !== 2) throw invalid(damaged);
  const length = bytes.readUInt32LE(headBytes);
  const end = headBytes + chunkHeadBytes + length;
  if (bytes.readUInt32LE(headBytes + 4) !== jsonChunk || end > bytes.length) throw invalid(damaged);
  const scene = checked(bytes.toString("utf8", headBytes + chunkHeadBytes, end));
  if (end + chunkHeadBytes > bytes.length) return { scene, binary: Buffer.alloc(0) };
  const size = bytes.readUInt32LE(end);
  if (bytes.readUInt32LE(end + 4) !== binaryChunk || end + chunkHeadBytes + size > bytes.length) throw invalid(damaged);
  return { scene, binary: bytes.subarray(end + chunkHeadBytes, end + chunkHeadBytes + size) };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isListOf = (value: unknown, isOne: (each: unknown) => boolean): boolean =>
  value === undefined || (Array.isArray(value) && value.every(isOne));
const isNumber = (value: unknown): boolean => typeof value === "number";
const isSize = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isText = (value: unknown): boolean => typeof value === "string";

/** Each list that is read, and what its entries must be. */
const shapes: Readonly<Record<Exclude<keyof Scene, "extensions">, (each: unknown) => boolean>> = {
  extensionsUsed: isText,
  extensionsRequired: isText,
  buffers: (each) =>
    isObject(each) &&
    isSize(each["byteLength"]) &&
    (each["uri"] === undefined || isText(each["uri"])) &&
    isObject(each["extensions"] ?? {}),
  bufferViews: (each) =>
    isObject(each) &&
    isSize(each["byteLength"]) &&
    isSize(each["byteOffset"] ?? 0) &&
    isSize(each["buffer"]) &&
    isObject(each["extensions"] ?? {}),
  accessors: (each) => isObject(each) && isSize(each["count"]),
  meshes: (each) =>
    isObject(each) && Array.isArray(each["primitives"]) && each["primitives"].every((one) => isObject(one) && isObject(one["attributes"])),
  nodes: (each) => isObject(each) && isListOf(each["children"], isNumber),
  scenes: (each) => isObject(each) && isListOf(each["nodes"], isNumber),
  cameras: isObject,
  materials: isObject,
  images: isObject,
};

function checked(text: string): Scene {
  const scene = parsed(text);
  if (!isObject(scene) || Object.entries(shapes).some(([name, isOne]) => !isListOf(scene[name], isOne))) throw invalid(damaged);
  return scene;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(damaged);
  }
}

/** Each chunk is padded to a multiple of four bytes. */
export function glbOf({ scene, binary }: GlbParts): Buffer {
  const json = Buffer.from(JSON.stringify(scene));
  const chunk = (kind: number, content: Buffer, filler: number) => {
    const padded = Buffer.concat([content, Buffer.alloc(-content.length & 3, filler)]);
    const head = Buffer.alloc(chunkHeadBytes);
    head.writeUInt32LE(padded.length, 0);
    head.writeUInt32LE(kind, 4);
    return [head, padded];
  };
  const chunks = [...chunk(jsonChunk, json, 0x20), ...(binary.length === 0 ? [] : chunk(binaryChunk, binary, 0))];
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(magic, 0);
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(
    chunks.reduce((sum, { length }) => sum + length, headBytes),
    8,
  );
  return Buffer.concat([head, ...chunks]);
}
