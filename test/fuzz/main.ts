/** `npm run fuzz -- [--minutes N] [--seed S]`: harms good files, bodies and options at random, and keeps what went wrong. */
import process from "node:process";
import { parseArgs } from "node:util";
import { boundary, goodBody, openDoorTarget, tryOptions, trySniff } from "./door.ts";
import { openEngineTarget } from "./engines.ts";
import { createDice, mutated } from "./mutate.ts";
import { type Finding, keep } from "./regressions.ts";
import { seedsOf } from "./seeds.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "5" }, seed: { type: "string", default: String(Date.now() % 1e9) } },
});
const until = performance.now() + Number(values.minutes) * 60_000;
const dice = createDice(Number(values.seed));
const seeds = await seedsOf();
const [first, ...others] = seeds;
if (first === undefined) throw new Error("there are no files to start from");
const queries = ["quality=80&width=100", "a=%41&b=+", "download=1&from=png", "respond-async, wait=10", "%", "x[a]=1"] as const;
const counts = { engine: 0, sniff: 0, body: 0, options: 0 };
let found = 0;

await using engines = await openEngineTarget();
await using door = await openDoorTarget();
console.log(`seed ${values.seed}, ${seeds.length} files, ${values.minutes} minutes`);
while (performance.now() < until) {
  const seed = dice.pick([first, ...others]);
  const [to, ...more] = engines.targetsOf(seed.format);
  const content = mutated(seed.content, dice);
  await judge({ target: "sniff", format: seed.format, content }, trySniff(content, `a.${seed.format}`));
  const query = mutated(Buffer.from(dice.pick(queries)), dice);
  await judge({ target: "options", content: query }, tryOptions(query.toString("latin1")));
  if (to === undefined) continue;
  const target = dice.pick([to, ...more]);
  await judge({ target: "engine", from: seed.format, to: target, content }, engines.try(content, seed.format, target));
  if (dice.below(4) > 0) continue;
  const body = mutated(goodBody(seed.content, `a.${seed.format}`, target), dice);
  await judge({ target: "body", content: body }, door.post(body));
}
console.log(`${JSON.stringify(counts)}: ${found} findings (bodies are of the boundary ${boundary})`);
process.exitCode = found === 0 ? 0 : 1;

async function judge(finding: Finding, verdict: Promise<string | undefined> | string | undefined): Promise<void> {
  counts[finding.target] += 1;
  const wrong = await verdict;
  if (wrong === undefined) return;
  found += 1;
  console.log(`${await keep(finding)}: ${wrong}`);
}
