/**
 * `npm run bench [-- routes [ROW ...] icon upload document documents [TABLE ...] tables FOLDER print estimates sandbox start
 * tracing fairness capacity]`: Filemill's cost compared with the bare engine, as ratios within one run.
 */
import process from "node:process";
import { benchCapacity } from "./capacity.ts";
import { benchDocument } from "./document.ts";
import { benchDocuments } from "./documents.ts";
import { benchEstimates } from "./estimates.ts";
import { benchFairness } from "./fairness.ts";
import { benchIcon } from "./icon.ts";
import { benchPrint } from "./print.ts";
import { benchRoutes } from "./routes.ts";
import { benchSandbox } from "./sandbox.ts";
import { benchStart } from "./start.ts";
import { benchTables } from "./tables.ts";
import { benchTracing } from "./tracing.ts";
import { benchUpload } from "./upload.ts";

const benches = {
  routes: benchRoutes,
  icon: benchIcon,
  document: benchDocument,
  documents: benchDocuments,
  tables: benchTables,
  print: benchPrint,
  upload: benchUpload,
  estimates: benchEstimates,
  sandbox: benchSandbox,
  start: benchStart,
  tracing: benchTracing,
  fairness: benchFairness,
  capacity: benchCapacity,
};
const asked = process.argv.slice(2);
/** Parts of row names, such as `icon` or `remux`. */
const rows = asked.filter((word) => !(word in benches));
for (const [name, bench] of Object.entries(benches)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  for (const line of await bench(rows)) console.log(line);
}
process.exit(0);
