/** `npm run bench [-- routes icon upload document documents print office sandbox fairness]`: what Filemill costs beside the bare engine, as ratios of one run. */
import process from "node:process";
import { benchDocument } from "./document.ts";
import { benchDocuments } from "./documents.ts";
import { benchFairness } from "./fairness.ts";
import { benchIcon } from "./icon.ts";
import { benchOffice } from "./office.ts";
import { benchPrint } from "./print.ts";
import { benchRoutes } from "./routes.ts";
import { benchSandbox } from "./sandbox.ts";
import { benchUpload } from "./upload.ts";

const benches = {
  routes: benchRoutes,
  icon: benchIcon,
  document: benchDocument,
  documents: benchDocuments,
  print: benchPrint,
  office: benchOffice,
  upload: benchUpload,
  sandbox: benchSandbox,
  fairness: benchFairness,
};
const asked = process.argv.slice(2);
for (const [name, bench] of Object.entries(benches)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  for (const line of await bench()) console.log(line);
}
process.exit(0);
