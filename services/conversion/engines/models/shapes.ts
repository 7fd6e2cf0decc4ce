/** 3MF and STEP to GLB, and GLB to 3MF, by our own code, glTF-Transform and Open CASCADE in a sandboxed worker. */
import type { Hop } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import { workerEngine } from "../shared/node-worker.ts";

const worker = {
  work: "model",
  packages: ["@gltf-transform/core", "@gltf-transform/extensions", "fflate", "sax", "occt-import-js", "meshoptimizer", "earcut"],
};

const common = { cost: 60, maxInputMb: 100, options: [] } as const;

const hops: readonly Hop[] = [
  {
    ...{ from: "3mf", to: "glb", fidelity: "high", ...common },
    expects: [expecting("METADATA_DROPPED", "Textures, lattices and slices are left out.")],
  },
  {
    ...{ from: "glb", to: "3mf", fidelity: "high", ...common },
    expects: [
      expecting(
        "METADATA_DROPPED",
        "Vertex colours, textures, cameras, animations and other properties are left out; without a unit, lengths count as millimetres.",
      ),
      expecting("ENTRIES_LEFT_OUT", "Faces with two equal corners are left out."),
    ],
  },
  // Surfaces become triangles.
  { from: "step", to: "glb", fidelity: "reduced", ...common, expects: [] },
];

export const shapesEngine = workerEngine(worker, {
  id: "shapes",
  label: "glTF-Transform, Open CASCADE",
  lane: "document",
  hops,
});
