/** Runs inside the sandbox after pandoc: turns its tree (first file) into the JSON of a document (second file). Prints a line of JSON. */
import { readFileSync, writeFileSync } from "node:fs";
import { Failure } from "../failure.ts";
import { treeOf } from "./tree.ts";

function answer([source = "", made = ""]: readonly string[]): unknown {
  try {
    const { tree, pictures } = treeOf(JSON.parse(readFileSync(source, "utf8")));
    writeFileSync(made, `${JSON.stringify(tree, undefined, 1)}\n`);
    const notes = pictures === 0 ? [] : [["IMAGES_REMOVED", "For pictures, only positions and descriptions are given."]];
    return { ok: true, notes };
  } catch (error) {
    if (error instanceof Failure) return { ok: false, code: error.code, message: error.message, odd: error.odd };
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, code: "INPUT_TOO_COMPLEX", message: "The document is nested too deeply.", odd: false };
  }
}

process.stdout.write(`${JSON.stringify(answer(process.argv.slice(2)))}\n`);
