// npm start: installs what is missing, then runs everything in one process. Runs on any Node from 18 on with nothing installed.
// @ts-check
import { root, servingArguments, setUpAndBecomeNode } from "./node.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";

await setUpAndBecomeNode(async () => {
  await Promise.all([ensureSystemPackages(), ensureNpmPackages(root)]);
  return [...servingArguments, "gateway/main.ts", ...process.argv.slice(2)];
});
