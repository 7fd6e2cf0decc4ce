#!/usr/bin/env node
// npm run -s filemill -- COMMAND: the command line. Says nothing of its own unless something must be installed.
// @ts-check
import { root, setUpAndBecomeNode } from "./node.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";

await setUpAndBecomeNode(async () => {
  await ensureNpmPackages(root);
  // npm runs scripts in the package's folder and tells the caller's; called directly, the caller's is the present one.
  process.env.INIT_CWD ??= process.cwd();
  return ["gateway/cli/main.ts", ...process.argv.slice(2)];
});
