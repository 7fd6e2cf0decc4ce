/** `npm run service -- catalogue` */
import process from "node:process";
import { runAlone } from "#kit/run-alone.ts";
import { createCatalogueService, readProof } from "./index.ts";

await runAlone(process, "catalogue", (floor) => createCatalogueService({ ...floor, proof: () => readProof(floor.settings) }));
