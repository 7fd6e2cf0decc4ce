// npm run service -- NAME: runs one service alone. Its peers are at the addresses in the settings.
// @ts-check
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root, setUpAndServe } from "./node.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { ensureSystemPackages, systemPackages, wantedPackages } from "./system-packages.mjs";

await setUpAndServe(async () => {
  const { packages, rest } = wantedPackages(process.argv.slice(2));
  const [name = "", ...args] = rest;
  const services = readdirSync(join(root, "services")).filter((folder) => existsSync(join(root, "services", folder, "main.ts")));
  if (!services.includes(name)) throw new Error(`Usage: npm run service -- ${services.join("|")}`);
  const broker = systemPackages.filter((row) => row.command === "nats-server" && !process.env.NATS_URL);
  await Promise.all([ensureSystemPackages(name === "conversion" ? packages : broker), ensureNpmPackages(root)]);
  return [`services/${name}/main.ts`, ...args];
});
