/**
 * Runs inside the sandbox before or after assimp: rewrites a model (first file) so that the next reader gets it right (second file). May
 * print a line of JSON.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { withoutDangling } from "./dae-animations.ts";
import { closedFbx, metresIn } from "./fbx-file.ts";
import { unitNormals } from "./obj-normals.ts";
import { plainOff } from "./off-colours.ts";
import { colouredGltf, paddedGltf, plainGltf, rootedGltf, translucentGltf, unitlessGltf, whitenedGltf } from "./plain-gltf.ts";
import { readableStl } from "./stl-colours.ts";

const [source = "", made = "", change] = process.argv.slice(2);
const bytes = readFileSync(source);
if (change === "unit") process.stdout.write(`${JSON.stringify({ metres: metresIn(bytes) })}\n`);
else if (change === "vertices" || change === "linear" || change === "raw") {
  const { made: readable, colours } = readableStl(bytes, change);
  if (readable !== undefined) writeFileSync(made, readable);
  process.stdout.write(`${JSON.stringify({ colours })}\n`);
} else if (made.endsWith(".off")) {
  const { text, ...colours } = plainOff(bytes.toString("latin1"));
  writeFileSync(made, text, "latin1");
  process.stdout.write(`${JSON.stringify(colours)}\n`);
} else if (made.endsWith(".dae")) {
  const { text, left } = withoutDangling(bytes.toString("latin1"));
  writeFileSync(made, text, "latin1");
  process.stdout.write(`${JSON.stringify({ left })}\n`);
} else if (made.endsWith(".obj")) writeFileSync(made, unitNormals(bytes));
else if (made.endsWith(".fbx")) writeFileSync(made, closedFbx(bytes));
else {
  const rewrites = {
    root: rootedGltf,
    pad: paddedGltf,
    colours: colouredGltf,
    opacity: translucentGltf,
    unitless: unitlessGltf,
    white: whitenedGltf,
  };
  writeFileSync(made, (Object.entries(rewrites).find(([name]) => name === change)?.[1] ?? plainGltf)(bytes));
}
