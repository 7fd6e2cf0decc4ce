import { glb, stlBinary } from "#test/services/conversion/engines/inside/model/spheres.ts";
import { solid, threeMf } from "#test/services/conversion/engines/inside/model/threemf-files.ts";
import { copy, type Occurrence } from "./occurrence.ts";

const options = { simplify: 0.5 };

export const models: readonly Occurrence[] = [
  { engine: "assimp", hop: "dae>stl", code: "METADATA_DROPPED", content: (path) => copy("model/typical.dae", path) },
  { engine: "meshoptimizer", hop: "stl>stl", code: "SOURCE_KEPT", content: stlBinary() },
  { engine: "meshoptimizer", hop: "stl>stl", code: "FACES_MERGED", content: stlBinary(), options },
  { engine: "meshoptimizer", hop: "glb>glb", code: "METADATA_DROPPED", content: glb({ extensionsUsed: ["EXT_of_quokkas"] }), options },
  {
    ...{ engine: "shapes", hop: "3mf>glb", code: "METADATA_DROPPED" },
    content: threeMf(`<texture2dgroup id="5" texid="6"/>${solid}`),
  },
  { engine: "shapes", hop: "glb>3mf", code: "METADATA_DROPPED", content: glb({ extensionsUsed: ["EXT_of_quokkas"] }) },
];
