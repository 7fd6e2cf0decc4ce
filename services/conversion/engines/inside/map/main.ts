/**
 * Runs inside the sandbox between the runs of a map tool: performs one task, given with its arguments on the command line. Prints one line
 * of JSON.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { Failure } from "../failure.ts";
import { arrange, complete } from "./arrange.ts";
import { compare, tellSensors } from "./compare.ts";
import { collectLines } from "./json-source.ts";
import { rewriteKml } from "./kml.ts";

const tasks: Readonly<Record<string, (first: string, second: string, third: string) => unknown>> = {
  arrange: (asked) => arrange(JSON.parse(asked)),
  complete,
  kml: rewriteKml,
  lines: (input, path) => writeFileSync(path, collectLines(readFileSync(input, "utf8"))),
  compare,
  sensors: tellSensors,
};

function answer([task = "", first = "", second = "", third = ""]: readonly string[]): unknown {
  try {
    return tasks[task]?.(first, second, third) ?? { ok: true, notes: [] };
  } catch (error) {
    if (error instanceof Failure) return { ok: false, code: error.code, message: error.message, odd: error.odd };
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, code: "INPUT_TOO_COMPLEX", message: "The map is too large to convert.", odd: false };
  }
}

process.stdout.write(`${JSON.stringify(answer(process.argv.slice(2)))}\n`);
