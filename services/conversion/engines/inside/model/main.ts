/** Runs inside the sandbox before assimp: writes an OFF model (first file) as it reads it (second file). Prints a line of JSON. */
import { readFileSync, writeFileSync } from "node:fs";
import { plainOff } from "./off-colours.ts";

const [source = "", made = ""] = process.argv.slice(2);
const { text, ...colours } = plainOff(readFileSync(source, "latin1"));
writeFileSync(made, text, "latin1");
process.stdout.write(`${JSON.stringify(colours)}\n`);
