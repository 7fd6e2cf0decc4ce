/** Everything that fuzzing ever found, and a short random walk from a fixed seed. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DoorTarget, goodBody, openDoorTarget, tryOptions, trySniff } from "./door.ts";
import { type EngineTarget, openEngineTarget } from "./engines.ts";
import { fileOf, repetitionOf, slowFileOf, tryLook } from "./growth.ts";
import { createDice, mutated } from "./mutate.ts";
import { optionsFor } from "./options.ts";
import { type Finding, keptFindings } from "./regressions.ts";
import { type Seed, seedsOf } from "./seeds.ts";

const steps = 35;
const repetitions = 150;
/** Some hundred engine runs, each of which may take its ten seconds. */
const walkMs = 900_000;

let engines: EngineTarget;
let door: DoorTarget;
let seeds: readonly Seed[];
beforeAll(async () => {
  [engines, door, seeds] = await Promise.all([openEngineTarget(), openDoorTarget(), seedsOf()]);
});
afterAll(async () => {
  await Promise.all([engines?.[Symbol.asyncDispose](), door?.[Symbol.asyncDispose]()]);
});

function verdictOf(finding: Finding): Promise<string | undefined> | string | undefined {
  switch (finding.target) {
    case "engine":
      return engines.try(finding.content, finding.from, finding.to, { engine: finding.engine });
    case "look":
      return tryLook(finding.content, finding.format);
    case "sniff":
      return trySniff(finding.content, `a.${finding.format}`);
    case "body":
      return door.post(finding.content);
    case "options":
      return tryOptions(finding.content.toString("latin1"));
    default:
      return finding satisfies never;
  }
}

describe("a past fuzzing finding", () => {
  it("stays fixed", async () => {
    for (const finding of await keptFindings())
      expect({ ...finding, wrong: await verdictOf(finding) }).toEqual({ ...finding, wrong: undefined });
  });
});

describe("a short random walk through repetitive files", () => {
  it("finds nothing that takes more than linear time", async () => {
    const dice = createDice(20_261_122);
    for (let step = 0; step < repetitions; step++) {
      const repetition = repetitionOf(seeds[dice.below(seeds.length)] ?? { format: "txt", content: Buffer.from("a") }, dice);
      const slow = await slowFileOf(repetition);
      expect({ ...repetition, wrong: slow?.wrong }).toEqual({ ...repetition, wrong: undefined });
    }
  });

  it.each([
    ["svg", '<svg width="1', " "],
    ["svg", "", "<svg "],
    ["svg", "<!DOCTYPE svg [", '<!ENTITY a "'],
    ["mp3", "<?xml?>", "<!---->"],
    ["pbm", "P1 ", "# "],
    ["ppm", "P6\n", "#\n"],
    ["xml", "", "<!a>"],
    ["rtf", "{\\rtf1\\ansi\\ansicpg932 ", "\\'8e"],
  ])("inspects %s of %j and many %j in linear time", async (format, start, token) => {
    const repetition = { format, start: Buffer.from(start), token: Buffer.from(token), end: Buffer.from("x") };
    expect((await slowFileOf(repetition))?.wrong).toBe(undefined);
    expect(fileOf(repetition, 60_000).length).toBeGreaterThan(59_000);
  });
});

describe("a short random walk through mutated files", () => {
  it(
    "finds only refusals and results",
    async () => {
      const dice = createDice(20_261_121);
      const met = new Set<string>();
      for (let step = 0; step < steps; step++) {
        const { format, content } = seeds[dice.below(seeds.length)] ?? { format: "", content: Buffer.alloc(0) };
        const hops = engines.hops.filter(({ hop }) => hop.from === format);
        const { engine, hop } = hops[dice.below(hops.length)] ?? {};
        if (engine === undefined || hop === undefined) continue;
        const { to } = hop;
        const options = optionsFor(hop.options, dice);
        const wrong = await engines.try(content, format, to, { engine, options });
        expect({ engine, format, to, options, wrong }).toEqual({ engine, format, to, options, wrong: undefined });
        const harmed = mutated(content, dice);
        const findings: readonly Finding[] = [
          { target: "engine", from: format, to, engine, content: harmed },
          { target: "sniff", format, content: harmed },
          { target: "body", content: mutated(goodBody(content.subarray(0, 2000), `a.${format}`, to), dice) },
          { target: "options", content: mutated(Buffer.from("quality=80&width=%31"), dice) },
        ];
        for (const finding of findings) expect({ ...finding, wrong: await verdictOf(finding) }).toEqual({ ...finding, wrong: undefined });
        met.add(format);
      }
      expect(met.size).toBeGreaterThan(8);
    },
    walkMs,
  );

  it("would report a wrong result", async () => {
    expect(await engines.try(Buffer.from("# a"), "md", "html")).toBe(undefined);
    expect(() => tryOptions("\ud800")).not.toThrow();
    expect(await door.post(Buffer.from("nothing"))).toBe(undefined);
    expect(engines.tryOptions("md", "html", { toc: "true" })).toBe(undefined);
    expect(engines.tryOptions("md", "nothing", {})).toMatch(/UNSUPPORTED_TARGET/);
  });
});
