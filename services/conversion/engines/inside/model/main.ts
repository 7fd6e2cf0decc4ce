/** Runs inside the sandbox before assimp: writes a model (first file) as it reads it (second file). Prints a line of JSON. */
import { readFileSync, writeFileSync } from "node:fs";
import { plainOff } from "./off-colours.ts";
import { plainGltf } from "./plain-gltf.ts";

const [source = "", made = ""] = process.argv.slice(2);
const bytes = readFileSync(source);
if (made.endsWith(".off")) {
  const { text, ...colours } = plainOff(bytes.toString("latin1"));
  writeFileSync(made, text, "latin1");
  process.stdout.write(`${JSON.stringify(colours)}\n`);
} else writeFileSync(made, plainGltf(bytes));
