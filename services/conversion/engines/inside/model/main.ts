/** Runs inside the sandbox around assimp: writes a model (first file) as it, or others, read it (second file). Prints a line of JSON. */
import { readFileSync, writeFileSync } from "node:fs";
import { closedFbx } from "./fbx-file.ts";
import { plainOff } from "./off-colours.ts";
import { plainGltf } from "./plain-gltf.ts";

const [source = "", made = ""] = process.argv.slice(2);
const bytes = readFileSync(source);
if (made.endsWith(".off")) {
  const { text, ...colours } = plainOff(bytes.toString("latin1"));
  writeFileSync(made, text, "latin1");
  process.stdout.write(`${JSON.stringify(colours)}\n`);
} else writeFileSync(made, made.endsWith(".fbx") ? closedFbx(bytes) : plainGltf(bytes));
