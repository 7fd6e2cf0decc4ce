/**
 * Colours of facets of binary STL, in the two bytes after each: as in VisCAM, or as in Materialise Magics, whose header has the colour of
 * the whole. Assimp reads those of Magics the wrong way round, and its GLB mixes colours that meet.
 *
 * @see https://en.wikipedia.org/wiki/STL_(file_format)#Color
 */
import { glbOf } from "./glb-file.ts";

const headBytes = 84;
const facetBytes = 50;
const own = 0x8000;
const mostLinear = 0.04045;

/** "whole": nothing but the header has a colour. */
export type StlColours = { readonly colours: "none" | "faces" | "whole" };

/** The words of a facet's colour: Magics marks the facets without a colour of their own, VisCAM those with one. */
type Facets = { readonly count: number; readonly whole: readonly number[] | undefined; wordOf(facet: number): number };

function facetsIn(bytes: Buffer): Facets | undefined {
  const count = bytes.length < headBytes ? 0 : bytes.readUInt32LE(80);
  if (count === 0 || bytes.length < headBytes + count * facetBytes) return undefined;
  const at = bytes.subarray(0, 80).indexOf("COLOR=", 0, "latin1");
  const isMagics = at >= 0 && at + 10 <= 80;
  const raw = (facet: number) => bytes.readUInt16LE(headBytes + facet * facetBytes + 48);
  const isPlain = isMagics && Array.from({ length: count }, (_, facet) => raw(facet)).every((word) => word === 0);
  // Programs that write only the header's colour leave the words empty.
  const wordOf = (facet: number) => (isPlain ? 0 : isMagics ? raw(facet) ^ own : raw(facet));
  return { count, whole: isMagics ? [...bytes.subarray(at + 6, at + 10)].map((value) => value / 255) : undefined, wordOf };
}

/** The model as assimp reads it right: with the words of VisCAM for formats of vertices, else as a GLB with a material for each colour. */
export function readableStl(bytes: Buffer, to: "vertices" | "linear" | "raw"): StlColours & { readonly made: Buffer | undefined } {
  const facets = facetsIn(bytes);
  if (facets === undefined) return { colours: "none", made: undefined };
  const groups = Map.groupBy(Array(facets.count).keys(), (facet) => colourKey(facets.wordOf(facet)));
  const hasOwn = [...groups.keys()].some((key) => key >= 0);
  if (!hasOwn && facets.whole === undefined) return { colours: "none", made: undefined };
  const colours = hasOwn ? "faces" : "whole";
  if (to !== "vertices") return { colours, made: glbOfFacets(bytes, facets, groups, to === "linear") };
  const made = Buffer.from(bytes);
  // White beside colours; assimp would take a half-transparent grey.
  const written = (word: number) => (facets.whole === undefined && (word & own) === 0 ? 0xffff : word);
  for (let facet = 0; facet < facets.count; facet++) made.writeUInt16LE(written(facets.wordOf(facet)), headBytes + facet * facetBytes + 48);
  return { colours, made };
}

/** Negative for a facet without its own. */
const colourKey = (word: number) => ((word & own) === 0 ? -1 : word & 0x7fff);

function glbOfFacets(bytes: Buffer, { whole }: Facets, groups: ReadonlyMap<number, readonly number[]>, isLinear: boolean): Buffer {
  const parts: Buffer[] = [];
  const accessors = [];
  const [primitives, materials] = [[] as { attributes: Record<string, number>; material: number }[], [] as Record<string, unknown>[]];
  for (const [key, facets] of groups) {
    const [places, normals] = [Buffer.alloc(facets.length * 36), Buffer.alloc(facets.length * 36)];
    facets.forEach((facet, index) => {
      const at = headBytes + facet * facetBytes;
      bytes.copy(places, index * 36, at + 12, at + 48);
      const normal = Float32Array.from(unitNormal(bytes, at));
      for (let corner = 0; corner < 3; corner++) Buffer.from(normal.buffer).copy(normals, index * 36 + corner * 12);
    });
    for (const part of [places, normals]) {
      accessors.push({
        bufferView: parts.length,
        componentType: 5126,
        type: "VEC3",
        count: facets.length * 3,
        ...(part === places ? boxOf(places) : {}),
      });
      parts.push(part);
    }
    const colour = key < 0 ? (whole ?? [1, 1, 1, 1]) : rgbOf(key, whole !== undefined);
    primitives.push({ attributes: { POSITION: parts.length - 2, NORMAL: parts.length - 1 }, material: materials.length });
    materials.push(materialOf(colour, isLinear));
  }
  const binary = Buffer.concat(parts);
  let next = 0;
  const scene = {
    ...{
      asset: { version: "2.0" },
      scene: 0,
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0 }],
      meshes: [{ primitives }],
      materials,
      accessors,
    },
    bufferViews: parts.map(({ length }) => {
      next += length;
      return { buffer: 0, byteOffset: next - length, byteLength: length };
    }),
    buffers: [{ byteLength: binary.length }],
  };
  return glbOf({ scene, binary });
}

function rgbOf(word: number, isMagics: boolean): readonly number[] {
  const [low = 0, middle = 0, high = 0] = [0, 5, 10].map((shift) => ((word >> shift) & 31) / 31);
  return [...(isMagics ? [low, middle, high] : [high, middle, low]), 1];
}

/** `isLinear`: for glTF, whose colours are linear, and of whose opacity assimp writes the square. */
function materialOf([red = 0, green = 0, blue = 0, alpha = 1]: readonly number[], isLinear: boolean): Record<string, unknown> {
  const linear = (value: number) => (value <= mostLinear ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const baseColorFactor = isLinear ? [...[red, green, blue].map(linear), Math.sqrt(alpha)] : [red, green, blue, alpha];
  return { doubleSided: true, pbrMetallicRoughness: { baseColorFactor, metallicFactor: 0 }, ...(alpha < 1 ? { alphaMode: "BLEND" } : {}) };
}

/** The stated one, or that of the corners. */
function unitNormal(bytes: Buffer, at: number): readonly number[] {
  const numbers = Array.from({ length: 12 }, (_, place) => bytes.readFloatLE(at + place * 4));
  const edge = (corner: number, axis: number) => (numbers[corner * 3 + (axis % 3)] ?? 0) - (numbers[3 + (axis % 3)] ?? 0);
  const cross = [0, 1, 2].map((axis) => edge(2, axis + 1) * edge(3, axis + 2) - edge(2, axis + 2) * edge(3, axis + 1));
  const normal = [numbers.slice(0, 3), cross, [0, 0, 1]].find((each) => Math.hypot(...each) > 0) ?? [];
  return normal.map((value) => value / Math.hypot(...normal));
}

function boxOf(places: Buffer): { readonly min: readonly number[]; readonly max: readonly number[] } {
  const [min, max] = [[0, 1, 2].map(() => Number.POSITIVE_INFINITY), [0, 1, 2].map(() => Number.NEGATIVE_INFINITY)];
  for (let at = 0; at < places.length; at += 4) {
    const [value, axis] = [places.readFloatLE(at), (at / 4) % 3];
    min[axis] = Math.min(min[axis] ?? value, value);
    max[axis] = Math.max(max[axis] ?? value, value);
  }
  return { min, max };
}
