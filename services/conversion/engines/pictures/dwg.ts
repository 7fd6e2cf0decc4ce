/** AutoCAD drawings, by acad-ts in a sandboxed worker. */
import { defineEngine } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import { openWorker, probeWorker } from "../shared/node-worker.ts";

const worker = { work: "drawing", packages: ["@node-projects/acad-ts"] };

export const dwgEngine = defineEngine({
  id: "dwg",
  label: "acad-ts",
  lane: "document",
  packages: [],
  hops: [
    {
      ...{ from: "dwg", to: "dxf", fidelity: "high", cost: 100, async: false, maxInputMb: 30, options: [] },
      expects: [expecting("DRAWINGS_LEFT_OUT", { message: "Objects of kinds that cannot be read or written are left out." })],
    },
  ],
  badInput: [],
  probe: (sandbox) => probeWorker(sandbox, worker),
  open: (host) => openWorker(host, worker),
});
