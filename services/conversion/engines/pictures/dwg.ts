/** AutoCAD drawings, by acad-ts in a sandboxed worker. */
import { expecting } from "#services/conversion/domain/expectations.ts";
import { workerEngine } from "../shared/node-worker.ts";

const worker = { work: "drawing", packages: ["@node-projects/acad-ts"] };

export const dwgEngine = workerEngine(worker, {
  id: "dwg",
  label: "acad-ts",
  lane: "document",
  hops: [
    {
      ...{ from: "dwg", to: "dxf", fidelity: "high", cost: 100, maxInputMb: 30, options: [] },
      expects: [expecting("DRAWINGS_LEFT_OUT", "Objects of kinds that cannot be read or written are left out.")],
    },
  ],
});
