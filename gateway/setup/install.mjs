// node gateway/setup/install.mjs [--all-engines] [--production] [--system] [--npm] [--code]: installs and compiles, and starts nothing.
// --production leaves out development packages, including those needed to prove conversions on an unproven system.
// @ts-check
import { ensureCompiledCode } from "./compiled-code.mjs";
import { root } from "./node.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { say } from "./progress.mjs";
import { ensureSystemPackages, wantedPackages } from "./system-packages.mjs";

const steps = {
  "--system": async () => {
    const missing = await ensureSystemPackages(wantedPackages(process.argv.slice(2)).packages);
    if (missing.length > 0) throw new Error("Not all packages could be installed.");
  },
  "--npm": () => ensureNpmPackages(root, { production: process.argv.includes("--production") }),
  "--code": () => ensureCompiledCode(root),
};

try {
  const asked = Object.entries(steps).filter(([name]) => process.argv.includes(name));
  for (const [, step] of asked.length > 0 ? asked : Object.entries(steps)) await step();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
