#!/usr/bin/env node
// npm run -s filemill -- COMMAND: the command line. Prints nothing of its own unless something must be installed.
// @ts-check
import { root, setUpAndBecomeNode } from "./node.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";

await setUpAndBecomeNode(async () => {
  await ensureNpmPackages(root);
  // npm runs scripts in the package's folder and passes the caller's in INIT_CWD. Without npm, the current folder is the caller's.
  process.env.INIT_CWD ??= process.cwd();
  return ["gateway/cli/main.ts", ...process.argv.slice(2)];
});
