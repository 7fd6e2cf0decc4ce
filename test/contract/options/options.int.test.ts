/** Every option that a route lists has an effect that a test demonstrates, and a result that passes the check of results. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine, OptionValues } from "#services/conversion/domain/engine.ts";
import { manyOptionOf } from "#services/conversion/domain/parts.ts";
import { engines } from "#services/conversion/engines/registry.ts";
import { checkEnds } from "#services/conversion/inspectors/inside/check-result.ts";
import { useBench } from "#test/contract/engine.ts";
import { sourceOf } from "#test/services/conversion/domain/guards/refused.ts";
import { dataEffects } from "./data-effects.ts";
import { documentEffects } from "./document-effects.ts";
import type { Effect } from "./effect.ts";
import { mediaEffects } from "./media-effects.ts";
import { pageEffects } from "./page-effects.ts";
import { pictureEffects } from "./picture-effects.ts";
import { writeSample } from "./samples.ts";
import { shapeEffects } from "./shape-effects.ts";

const effects: readonly Effect[] = [
  ...pictureEffects,
  ...mediaEffects,
  ...documentEffects,
  ...dataEffects,
  ...shapeEffects,
  ...pageEffects,
];

/**
 * `pages`, `sheets` and `tracks` belong to no engine: test/e2e/several-files.e2e.test.ts
 * covers them. `protect` needs a password, so test/e2e/protected-files.e2e.test.ts covers it.
 */
function optionsOf(engine: Engine): ReadonlySet<string> {
  return new Set(
    engine.hops.flatMap(({ options, part }) =>
      options.map(({ name }) => name).filter((name) => name !== "protect" && (part === undefined || name !== manyOptionOf(part))),
    ),
  );
}

it("every listed option has a test", () => {
  const shown = new Set(effects.map(({ engine, option }) => `${engine} ${option}`));
  const listed = engines.flatMap((engine) => [...optionsOf(engine)].map((option) => `${engine.id} ${option}`));
  expect(listed.filter((pair) => !shown.has(pair))).toEqual([]);
  expect([...shown].filter((pair) => !listed.includes(pair))).toEqual([]);
});

describe.each(engines.filter(({ id }) => effects.some(({ engine }) => engine === id)))("$id", (engine) => {
  const bench = useBench(engine);
  let folder: string;
  /** Several options of a conversion are compared with the same results. */
  const made = new Map<string, Promise<string>>();
  const once = (key: string, make: () => Promise<string>): Promise<string> => {
    const path = made.get(key) ?? make();
    made.set(key, path);
    return path;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "filemill-options-"));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it.each(effects.filter((effect) => effect.engine === engine.id))("$option has an effect on $hop", async (effect) => {
    const { hop, sample, given, base = {}, figure, shows } = effect;
    const [from = "", to = ""] = hop.split(">");
    const input = await once(sample, () => writeSample(sample, folder));
    const convert = async (options: OptionValues) => (await bench.convert(input, from, to, options)).path;
    const without = await once(JSON.stringify([hop, sample, base]), () => convert(base));
    const changed = await convert(given);
    shows(await figure(without), await figure(changed));
    await checkEnds(sourceOf(await readFile(changed)), to);
  });
});
