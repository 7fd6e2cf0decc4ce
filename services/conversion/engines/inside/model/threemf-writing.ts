/** Converts GLB to 3MF. @see 3D Manufacturing Format, core specification 1.3 */
import type { Document, Material, Mesh, Primitive } from "@gltf-transform/core";
import { zipSync } from "fflate";
import { type Notes, noteAlso, noteOnce } from "../exchange.ts";
import { inexpressible, tooComplex } from "../failure.ts";
import { hexOf, maxTriangles, unitMark } from "./shapes.ts";

/** A solid for each mesh, with coincident vertices joined, as printers require; an item for each node that shows it. */
export function threeMfOf(document: Document, notes: Notes): Uint8Array {
  const root = document.getRoot();
  const scene = root.getDefaultScene() ?? root.listScenes()[0];
  const [paints, ids, items, objects]: [Paints, Map<Mesh, number>, string[], string[]] = [new Paints(), new Map(), [], []];
  scene?.traverse((node) => {
    const mesh = node.getMesh();
    if (mesh === null) return;
    if (!ids.has(mesh)) {
      const name = node.getName() || mesh.getName();
      const object = objectOf(mesh, { id: objects.length + 2, name }, paints, notes);
      ids.set(mesh, object === undefined ? 0 : objects.push(object) + 1);
    }
    const [id, m] = [ids.get(mesh) ?? 0, node.getWorldMatrix()];
    const places = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14].map((at) => numberOf(m[at] ?? 0));
    if (id > 0) items.push(`<item objectid="${id}" transform="${places.join(" ")}"/>`);
  });
  if (items.length === 0) throw inexpressible("The model contains no faces.");
  if (root.listTextures().length + root.listAnimations().length + root.listCameras().length > 0)
    noteAlso(notes, "METADATA_DROPPED", "Textures, cameras and animations were left out.");
  // A material applies to whole faces.
  const primitives = root.listMeshes().flatMap((mesh) => mesh.listPrimitives());
  if (primitives.some((primitive) => primitive.getAttribute("COLOR_0") !== null))
    noteAlso(notes, "METADATA_DROPPED", "Vertex colours were left out; PLY and GLB keep them.");
  if (primitives.some((primitive) => primitive.getAttribute("TEXCOORD_0") !== null))
    noteAlso(notes, "METADATA_DROPPED", "Texture coordinates were left out.");
  if (root.listMaterials().some((material) => isBetween(material.getMetallicFactor()) || isBetween(material.getRoughnessFactor())))
    noteAlso(notes, "METADATA_DROPPED", "Metalness and roughness of materials were left out.");
  return packed(unitOf(document, notes), `<resources>${paints.text()}${objects.join("")}</resources><build>${items.join("")}</build>`);
}

/** The name of the unit in 3MF. Without a unit, numbers count as slicers count those of STL. */
function unitOf(document: Document, notes: Notes): string {
  const extras: unknown = document.getRoot().getAsset()["extras"];
  const marked: unknown = Object(extras)[unitMark];
  if (marked === "none") noteAlso(notes, "METADATA_DROPPED", "The source has no unit of length; its numbers count as millimetres.");
  return marked === "none" || marked === "millimeter" ? "millimeter" : "meter";
}

const isBetween = (factor: number) => factor > 0 && factor < 1;

/** Base materials in the order of first use. */
class Paints {
  readonly #places = new Map<string, number>();

  placeOf(material: Material | null): number {
    const [red, green, blue, alpha] = material?.getBaseColorFactor() ?? [0.6, 0.6, 0.6, 1];
    const hex = hexOf([red, green, blue, alpha]);
    const place = this.#places.get(hex) ?? this.#places.size;
    this.#places.set(hex, place);
    return place;
  }

  text(): string {
    const bases = [...this.#places.keys()].map((hex, place) => `<base name="Colour ${place + 1}" displaycolor="${hex}"/>`);
    return `<basematerials id="1">${bases.join("")}</basematerials>`;
  }
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", '"': "&quot;" };
/** Without control characters, which XML does not allow. */
const escaped = (text: string) => text.replaceAll(/\p{Cc}/gu, " ").replaceAll(/[&<"]/g, (sign) => entities[sign] ?? "");

const flat = "Faces with two equal corners, which the format does not allow, were left out.";

function objectOf(
  mesh: Mesh,
  { id, name }: { readonly id: number; readonly name: string },
  paints: Paints,
  notes: Notes,
): string | undefined {
  const [places, vertices, triangles] = [new Map<string, number>(), [] as string[], [] as string[]];
  const cornerOf = (point: readonly number[]) => {
    const text = `x="${numberOf(point[0] ?? 0)}" y="${numberOf(point[1] ?? 0)}" z="${numberOf(point[2] ?? 0)}"`;
    const known = places.get(text) ?? vertices.length;
    if (known === vertices.length) places.set(text, vertices.push(`<vertex ${text}/>`) - 1);
    return known;
  };
  for (const primitive of mesh.listPrimitives()) {
    const place = paints.placeOf(primitive.getMaterial());
    for (const corners of trianglesOf(primitive)) {
      const [a = 0, b = 0, c = 0] = corners.map(cornerOf);
      if (a === b || b === c || c === a) noteOnce(notes, "ENTRIES_LEFT_OUT", flat);
      else triangles.push(`<triangle v1="${a}" v2="${b}" v3="${c}" pid="1" p1="${place}"/>`);
      if (triangles.length > maxTriangles) throw tooComplex("The model has too many faces.");
    }
  }
  if (triangles.length === 0) return undefined;
  return `<object id="${id}" name="${escaped(name)}" type="model" pid="1" pindex="0"><mesh><vertices>${vertices.join("")}</vertices><triangles>${triangles.join("")}</triangles></mesh></object>`;
}

const [list, strip, fan] = [4, 5, 6];

function* trianglesOf(primitive: Primitive): Generator<readonly (readonly number[])[]> {
  const [positions, indices, mode] = [primitive.getAttribute("POSITION"), primitive.getIndices(), primitive.getMode()];
  if (positions === null) return;
  const count = indices?.getCount() ?? positions.getCount();
  const pointAt = (corner: number) => positions.getElement(indices?.getScalar(corner) ?? corner, [0, 0, 0]);
  if (mode === list) for (let at = 0; at + 2 < count; at += 3) yield [at, at + 1, at + 2].map(pointAt);
  if (mode === strip)
    for (let at = 0; at + 2 < count; at++) yield (at % 2 === 0 ? [at, at + 1, at + 2] : [at + 1, at, at + 2]).map(pointAt);
  if (mode === fan) for (let at = 1; at + 1 < count; at++) yield [0, at, at + 1].map(pointAt);
}

/** As many digits as a 32-bit float has. */
function numberOf(value: number): string {
  return String(Number(value.toPrecision(9)));
}

const head = '<?xml version="1.0" encoding="UTF-8"?>\n';

function packed(unit: string, inside: string): Uint8Array {
  const text = (value: string) => Buffer.from(head + value);
  const opc = "http://schemas.openxmlformats.org/package/2006";
  return zipSync({
    "[Content_Types].xml": text(
      `<Types xmlns="${opc}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
        '<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>',
    ),
    "_rels/.rels": text(
      `<Relationships xmlns="${opc}/relationships"><Relationship Target="/3D/3dmodel.model" Id="rel0" ` +
        'Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>',
    ),
    "3D/3dmodel.model": text(
      `<model unit="${unit}" xml:lang="en" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">${inside}</model>`,
    ),
  });
}
