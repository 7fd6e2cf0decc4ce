// npm run bench: measures Filemill against the bare engines.
// @ts-check
import { ensureCompiledCode } from "./compiled-code.mjs";
import { root, setUpAndBecomeNode } from "./node.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";

await setUpAndBecomeNode(async () => {
  await Promise.all([ensureSystemPackages(), ensureNpmPackages(root, { forTests: true })]);
  await ensureCompiledCode(root);
  return ["test/bench/main.ts", ...process.argv.slice(2)];
});
