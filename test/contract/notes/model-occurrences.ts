import { glb, stlBinary } from "#test/services/conversion/engines/inside/model/spheres.ts";
import { copy, type Occurrence } from "./occurrence.ts";

const options = { simplify: 0.5 };

export const models: readonly Occurrence[] = [
  { engine: "assimp", hop: "dae>stl", code: "METADATA_DROPPED", content: (path) => copy("model/typical.dae", path) },
  { engine: "meshoptimizer", hop: "stl>stl", code: "SOURCE_KEPT", content: stlBinary() },
  { engine: "meshoptimizer", hop: "stl>stl", code: "FACES_MERGED", content: stlBinary(), options },
  { engine: "meshoptimizer", hop: "glb>glb", code: "METADATA_DROPPED", content: glb({ extensionsUsed: ["EXT_of_quokkas"] }), options },
];
