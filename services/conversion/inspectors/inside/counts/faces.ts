/** Counts triangles in model formats that state them openly. A polygon counts as the triangles that it is cut into. */
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { contentOf } from "../remote-file.ts";

export async function facesOf(file: ByteSource, format: string): Promise<number | undefined> {
  switch (format) {
    case "obj":
      return ofWavefront((await contentOf(file)).toString("latin1"));
    case "stl":
      return ofStl(file);
    case "glb":
      return ofScene(JSON.parse(await sceneOfGlb(file)));
    case "gltf":
      return ofScene(JSON.parse((await contentOf(file)).toString("utf8")));
    case "ply":
      return ofPolygonFile(file.head.toString("latin1", 0, 8192));
    default:
      return undefined;
  }
}

function ofWavefront(text: string): number {
  let faces = 0;
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    if (text.startsWith("f ", at))
      faces += Math.max(
        0,
        text
          .slice(at + 2, end)
          .trim()
          .split(/\s+/).length - 2,
      );
    at = end + 1;
  }
  return faces;
}

/** The binary form; the text form has a keyword for each triangle. */
async function ofStl(file: ByteSource): Promise<number> {
  if (file.sizeBytes >= 84) {
    const told = file.head.readUInt32LE(80);
    if (file.sizeBytes === 84 + 50 * told) return told;
  }
  return (await contentOf(file)).toString("latin1").split("endfacet").length - 1;
}

/** Only correct if all faces are triangles, as the engine of Filemill writes them. */
function ofPolygonFile(header: string): number | undefined {
  const count = /^element face (\d{1,9})\r?$/m.exec(header)?.[1];
  return count === undefined ? undefined : Number(count);
}

async function sceneOfGlb(file: ByteSource): Promise<string> {
  const length = file.head.readUInt32LE(12);
  return (await contentOf(file, 20 + length)).toString("utf8", 20);
}

type Primitive = { readonly mode?: number; readonly indices?: number; readonly attributes: { readonly POSITION?: number } };
type Scene = {
  readonly scene?: number;
  readonly scenes?: readonly { readonly nodes?: readonly number[] }[];
  readonly nodes?: readonly { readonly mesh?: number; readonly children?: readonly number[] }[];
  readonly meshes?: readonly { readonly primitives: readonly Primitive[] }[];
  readonly accessors?: readonly { readonly count: number }[];
};

const triangles = 4;

/** For the scene that is shown. Each node that names a mesh draws it. @see glTF 2.0, 3.5 and 3.7.2 */
function ofScene({ scene = 0, scenes = [], nodes = [], meshes = [], accessors = [] }: Scene): number | undefined {
  let faces = 0;
  const seen = new Set<number>();
  for (const waiting = [...(scenes[scene]?.nodes ?? [])]; waiting.length > 0; ) {
    const number = waiting.pop() ?? 0;
    const { mesh = -1, children = [] } = nodes[number] ?? {};
    if (seen.has(number)) continue;
    seen.add(number);
    waiting.push(...children);
    for (const { mode = triangles, indices, attributes } of meshes[mesh]?.primitives ?? []) {
      if (mode > triangles) return undefined;
      if (mode === triangles) faces += Math.floor((accessors[indices ?? attributes.POSITION ?? -1]?.count ?? 0) / 3);
    }
  }
  return faces;
}
