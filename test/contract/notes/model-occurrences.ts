import { ACadVersion, CadDocument, DimensionArc, DwgWriter } from "@node-projects/acad-ts";
import { glb, stlBinary } from "#test/services/conversion/engines/inside/model/spheres.ts";
import { solid, threeMf } from "#test/services/conversion/engines/inside/model/threemf-files.ts";
import { copy, type Occurrence } from "./occurrence.ts";

/** An arc length dimension: DXF supports it, but the library does not write it. */
function drawingWithArcLength(): Buffer {
  const drawing = new CadDocument();
  const { header, modelSpace } = drawing;
  if (header === null || modelSpace === null) throw new Error("an empty drawing has a header and a model space");
  header.version = ACadVersion.AC1015;
  modelSpace.entities.add(new DimensionArc());
  return Buffer.from(DwgWriter.writeToBuffer(drawing));
}

const options = { simplify: 0.5 };

export const models: readonly Occurrence[] = [
  { engine: "assimp", hop: "dae>stl", code: "METADATA_DROPPED", content: (path) => copy("model/typical.dae", path) },
  {
    ...{ engine: "assimp", hop: "obj>glb", code: "NUMBERS_ROUNDED" },
    content: "v 500000.123 5400000.456 0\nv 500001.123 5400000.456 0\nv 500000.123 5400001.456 0\nf 1 2 3\n",
  },
  { engine: "assimp", hop: "obj>glb", code: "EXTERNAL_CONTENT_BLOCKED", content: "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n" },
  { engine: "assimp", hop: "obj>stl", code: "ENTRIES_LEFT_OUT", content: "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\n" },
  { engine: "meshoptimizer", hop: "stl>stl", code: "SOURCE_KEPT", content: stlBinary() },
  { engine: "meshoptimizer", hop: "stl>stl", code: "FACES_MERGED", content: stlBinary(), options },
  { engine: "meshoptimizer", hop: "glb>glb", code: "METADATA_DROPPED", content: glb({ extensionsUsed: ["EXT_of_quokkas"] }), options },
  {
    ...{ engine: "shapes", hop: "3mf>glb", code: "METADATA_DROPPED" },
    content: threeMf(`<texture2dgroup id="5" texid="6"/>${solid}`),
  },
  { engine: "dwg", hop: "dwg>dxf", code: "DRAWINGS_LEFT_OUT", content: drawingWithArcLength() },
  { engine: "shapes", hop: "glb>3mf", code: "METADATA_DROPPED", content: glb({ extensionsUsed: ["EXT_of_quokkas"] }) },
  {
    ...{ engine: "shapes", hop: "glb>3mf", code: "ENTRIES_LEFT_OUT" },
    // A strip joins its triangles by some without an area.
    content: glb({ meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 2, mode: 5 }] }] }),
  },
];
