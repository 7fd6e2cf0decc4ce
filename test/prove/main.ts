/**
 * `npm run prove [-- --all | --engine X … | --route from:to … | --sample N | --changed] [--failed] [--seed S] [--local] [--at-once N] [--check]`:
 * executes hops and routes on the corpus, reads what came out by another program, and writes what was measured. Ends with 1 when what is
 * listed does not pass. `--all` goes on where an earlier one ended, as long as nothing changed.
 */
import { availableParallelism } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { prove } from "./prove.ts";

const { values } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    engine: { type: "string", multiple: true, default: [] },
    route: { type: "string", multiple: true, default: [] },
    sample: { type: "string" },
    seed: { type: "string" },
    failed: { type: "boolean", default: false },
    changed: { type: "boolean", default: false },
    "at-once": { type: "string", default: "2" },
    local: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
});
const startedMs = performance.now();
const isGood = await prove({
  ...values,
  sample: values.sample === undefined ? undefined : Number(values.sample),
  atOnce: Number(values["at-once"]),
  seed: values.seed ?? String(Math.floor(Math.random() * 1e9)),
  settings: process.env,
  say: (line) => console.log(line),
});
console.log(`${((performance.now() - startedMs) / 1000).toFixed(0)} s, ${values["at-once"]} at a time on ${availableParallelism()} cores`);
process.exit(isGood ? 0 : 1);
