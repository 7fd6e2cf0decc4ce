/** `npm run prove`: executes hops and routes on the corpus, reads the results with other programs, and writes the measurements. */
import { availableParallelism } from "node:os";
import process from "node:process";
import { prove } from "./prove.ts";
import { type Asked, requestOf, usage } from "./usage.ts";

const asked = requestOf(process.argv.slice(2), availableParallelism());
if (asked === "help") {
  console.log(usage);
  process.exit(0);
}
if (typeof asked === "string") {
  console.error(asked);
  process.exit(2);
}
const ending = new AbortController();
const startedMs = performance.now();
/** Under npm, one Ctrl-C arrives twice; a later one is deliberate. */
const echoMs = 500;
let endingSinceMs = Infinity;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (performance.now() - endingSinceMs > echoMs) process.exit(130);
    endingSinceMs = Math.min(endingSinceMs, performance.now());
    // Waits until engines and readers have ended too.
    ending.abort();
  });
}
if (asked.background) process.stdin.on("end", () => ending.abort()).resume();
const common = { signal: ending.signal, say: (line: string) => console.log(line) };
const isGood = await answered(asked);
console.log(`${((performance.now() - startedMs) / 1000).toFixed(0)} s, ${asked.atOnce} at a time on ${availableParallelism()} cores`);
process.exit(ending.signal.aborted ? 130 : Number(!isGood));

async function answered(request: Asked): Promise<boolean> {
  if (request.values) return await compareValues(request);
  if (request.own) return await measuredOwn(request);
  if (request.wild !== undefined) return await comparedWild({ ...request, wild: request.wild });
  return await (request.judge ? judged(request) : prove({ ...request, settings: process.env, ...common }));
}

/** Loaded on demand: its sources need test-only dependencies. */
async function measuredOwn(request: Asked): Promise<boolean> {
  const { proveOwn } = await import("./own/run.ts");
  return await proveOwn({ ...request, settings: process.env, ...common });
}

/** Plans as the command does, which the gateway knows. */
async function comparedWild(request: Asked & { readonly wild: string }): Promise<boolean> {
  const { proveWild } = await import("./wild/run.ts");
  return await proveWild({ ...request, settings: process.env, ...common });
}

/** Loaded on demand: a service has no judges. */
async function judged(request: Asked): Promise<boolean> {
  const { judgeResults } = await import("./judges/run.ts");
  return await judgeResults({ ...request, settings: process.env, ...common });
}

/** Loaded on demand: its readers are installed where tests run, but not where a service proves in the background. */
async function compareValues({ route, seed, sample }: Asked): Promise<boolean> {
  const { proveValues } = await import("#test/values/run.ts");
  return await proveValues({ route, seed, runs: sample ?? 20, ...common });
}
