// npm start: installs what is missing (with --all-engines, for every engine), then runs everything in one process.
// Runs on Node 18 or newer, with no packages installed.
// @ts-check
import { ensureCompiledCode } from "./compiled-code.mjs";
import { root, setUpAndServe } from "./node.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { ensureSystemPackages, wantedPackages } from "./system-packages.mjs";

await setUpAndServe(async () => {
  const { packages, rest } = wantedPackages(process.argv.slice(2));
  await Promise.all([ensureSystemPackages(packages), ensureNpmPackages(root)]);
  await ensureCompiledCode(root);
  return ["gateway/main.ts", ...rest];
});
