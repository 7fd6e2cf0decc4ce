// npm run prove: executes every hop and route and writes down what was measured.
// @ts-check
import { root, setUpAndBecomeNode } from "./node.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { allPackages, ensureSystemPackages, testPackages } from "./system-packages.mjs";

await setUpAndBecomeNode(async () => {
  await Promise.all([ensureSystemPackages([...allPackages, ...testPackages]), ensureNpmPackages(root, { forTests: true })]);
  return ["test/prove/main.ts", ...process.argv.slice(2)];
});
