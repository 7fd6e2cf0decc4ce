/** `npm run service -- catalogue` */
import process from "node:process";
import { runAlone } from "#kit/run-alone.ts";
import { createCatalogueService, openProofs } from "./index.ts";

await runAlone(process, "catalogue", (floor) => createCatalogueService({ ...floor, proofs: openProofs(floor.settings) }));
