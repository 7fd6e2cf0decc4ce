/** Simplifies or scales models within their format, by meshoptimizer in a sandboxed worker. */
import type { OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import { ownHops } from "../shared/hop-table.ts";
import { workerEngine } from "../shared/node-worker.ts";
import { decimalIn } from "../shared/options.ts";

const worker = { work: "meshoptimizer", packages: ["meshoptimizer", "earcut", "@gltf-transform/core", "@gltf-transform/extensions"] };

const options: readonly OptionDefinition[] = [
  decimalIn("simplify", [0.01, 1], "Share of the triangles to keep, approximately; below 1, polygons become triangles", { default: 1 }),
  decimalIn("scale", [0.001, 1000], "Scale factor for all lengths, for example 25.4 for inches to millimetres", { default: 1 }),
];

const merged = expecting("FACES_MERGED", { option: "simplify" });
const dropped = expecting("METADATA_DROPPED", { message: "Unknown extensions are left out when faces are merged.", option: "simplify" });

export const meshoptimizerEngine = workerEngine(worker, {
  id: "meshoptimizer",
  label: "meshoptimizer",
  lane: "document",
  hops: ownHops(["stl", "obj", "ply", "glb"], (format) => ({
    ...{ fidelity: "lossless", cost: 100, maxInputMb: 50, options },
    expects: [expecting("SOURCE_KEPT"), merged, ...(format === "glb" ? [dropped] : [])],
  })),
});
