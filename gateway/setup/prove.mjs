// npm run prove: executes every hop and route and records the measurements.
// @ts-check
import { join } from "node:path";
import process from "node:process";
import { root, setUpAndBecomeNode } from "./node.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { allPackages, ensureSystemPackages, judgePackages, testPackages } from "./system-packages.mjs";

await setUpAndBecomeNode(async () => {
  const judges = process.argv.includes("--judge") ? judgePackages : [];
  await Promise.all([ensureSystemPackages([...allPackages, ...testPackages, ...judges]), ensureNpmPackages(root, { forTests: true })]);
  // One of the packages would otherwise download its own Java.
  if (judges.length > 0) process.env.npm_config_ignore_scripts = "true";
  if (judges.length > 0) await ensureNpmPackages(join(root, "test/prove/judges/npm"));
  return ["test/prove/main.ts", ...process.argv.slice(2)];
});
