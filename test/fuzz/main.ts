/**
 * `npm run fuzz -- [--minutes N] [--seed S] [--engine ID]…`: mutates good files, bodies and options at random, and keeps what went wrong.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { boundary, goodBody, openDoorTarget, tryOptions, trySniff } from "./door.ts";
import { openEngineTarget } from "./engines.ts";
import { repetitionOf, slowFileOf } from "./growth.ts";
import { createDice, mutated } from "./mutate.ts";
import { optionsFor } from "./options.ts";
import { type Finding, keep } from "./regressions.ts";
import { grownSeeds, seedsOf } from "./seeds.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string", default: String(Date.now() % 1e9) },
    engine: { type: "string", multiple: true, default: [] },
  },
});
const dice = createDice(Number(values.seed));
const queries = ["quality=80&width=100", "a=%41&b=+", "download=1&from=png", "respond-async, wait=10", "%", "x[a]=1"] as const;
const counts = { engine: 0, look: 0, sniff: 0, body: 0, options: 0 };
const byEngine: Record<string, number> = {};
let found = 0;

await using engines = await openEngineTarget();
await using door = await openDoorTarget();
const seeds = Map.groupBy(await grownSeeds(await seedsOf(), engines, 2), ({ format }) => format);
const tried = Map.groupBy(
  engines.hops.filter(({ engine, hop }) => seeds.has(hop.from) && (values.engine.length === 0 || values.engine.includes(engine))),
  ({ engine }) => engine,
);
const [firstEngine, ...otherEngines] = [...tried.keys()];
if (firstEngine === undefined) throw new Error("there are no files to start from");
console.log(`seed ${values.seed}, ${seeds.size} formats, engines ${[...tried.keys()].join(" ")}, ${values.minutes} minutes`);
const until = performance.now() + Number(values.minutes) * 60_000;
while (performance.now() < until) {
  const engine = dice.pick([firstEngine, ...otherEngines]);
  const [hop, ...moreHops] = (tried.get(engine) ?? []).map((each) => each.hop);
  if (hop === undefined) continue;
  const { from, to, options: declared } = dice.pick([hop, ...moreHops]);
  const [seed, ...moreSeeds] = seeds.get(from) ?? [];
  if (seed === undefined) continue;
  const good = dice.pick([seed, ...moreSeeds]).content;
  // Some stay intact, so that options reach an engine.
  const content = dice.below(5) === 0 ? good : mutated(good, dice);
  await judge({ target: "sniff", format: from, content }, trySniff(content, `a.${from}`));
  const slow = await slowFileOf(repetitionOf(seed, dice));
  await judge({ target: "look", format: from, content: slow?.content ?? content }, slow?.wrong);
  const query = mutated(Buffer.from(dice.pick(queries)), dice);
  await judge({ target: "options", content: query }, tryOptions(query.toString("latin1")));
  const options = optionsFor(declared, dice);
  await judge(
    { target: "engine", from, to, engine, content },
    engines.try(content, from, to, { engine, options }),
    JSON.stringify(options),
  );
  byEngine[engine] = (byEngine[engine] ?? 0) + 1;
  if (dice.below(4) > 0) continue;
  const body = mutated(goodBody(good, `a.${from}`, to), dice);
  await judge({ target: "body", content: body }, door.post(body));
}
console.log(`${JSON.stringify(counts)} ${JSON.stringify(byEngine)}: ${found} findings (bodies are of the boundary ${boundary})`);
process.exitCode = found === 0 ? 0 : 1;

async function judge(finding: Finding, verdict: Promise<string | undefined> | string | undefined, more = ""): Promise<void> {
  counts[finding.target] += 1;
  const wrong = await verdict;
  if (wrong === undefined) return;
  found += 1;
  console.log(`${await keep(finding)}: ${wrong} ${more}`);
}
